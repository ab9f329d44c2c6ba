package main

import (
	"net/netip"
	"testing"
	"time"
)

func TestJavaHost(t *testing.T) {
	for in, want := range map[string]string{
		"127.0.0.1:5555":        "/127.0.0.1:5555",
		"[2001:db8::1]:6001":    "/[2001:db8:0:0:0:0:0:1]:6001",
		"[::]:0":                "/[0:0:0:0:0:0:0:0]:0",
		"[::ffff:10.0.0.1]:80":  "/10.0.0.1:80",
		"[fe80::abcd:0:12]:443": "/[fe80:0:0:0:0:abcd:0:12]:443",
	} {
		if got := javaHost(netip.MustParseAddrPort(in)); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
}

func TestByteSize(t *testing.T) {
	for in, want := range map[string]int64{"65536": 65536, "64k": 65536, "64KiB": 65536, "1 MB": 1 << 20, "2GiB": 2 << 30} {
		var s byteSize
		if err := s.Set(in); err != nil || int64(s) != want {
			t.Errorf("%s: %d %v, want %d", in, s, err, want)
		}
	}
	for _, in := range []string{"", "x", "-1", "0", "1.5g", "9999999999g"} {
		var s byteSize
		if s.Set(in) == nil {
			t.Errorf("%q is taken for %d", in, s)
		}
	}
	for in, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1 KiB", 1536: "1.5 KiB", 1 << 30: "1 GiB"} {
		if got := bytesText(in); got != want {
			t.Errorf("%d: %s, want %s", in, got, want)
		}
	}
	for in, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567"} {
		if got := countText(in); got != want {
			t.Errorf("%d: %s, want %s", in, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	local := time.Date(2026, 3, 4, 5, 6, 7, 0, time.Local).UnixMilli()
	for in, want := range map[string]int64{
		"0": 0, "1795979756486": 1795979756486, "2026-03-04T05:06:07.5Z": 1772600767500, "2026-03-04 05:06:07": local,
	} {
		if got, err := parseTime("--time", in); err != nil || got != want {
			t.Errorf("%s: %d %v, want %d", in, got, err, want)
		}
	}
	if got, err := parseTime("--time", "1h"); err != nil || time.Since(time.UnixMilli(got)).Round(time.Minute) != time.Hour {
		t.Errorf("1h: %d %v", got, err)
	}
}

func TestPreview(t *testing.T) {
	for in, want := range map[string]string{
		"":                 "",
		"plain":            "plain",
		"a\tb\nc":          "a b c",
		"1234567890":       "1234567890",
		"жжжжжжжжжжжж":     "жжжжжжжжж…",
		"12345678901":      "123456789…",
		"\xff\x00":         "hex ff00",
		"\xff123456789abc": "hex ff313…",
	} {
		if got := preview([]byte(in), 10); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := preview([]byte("\x1b[31mred"), 40); got != `\u001b[31mred` {
		t.Errorf("escape: %q", got)
	}
}
