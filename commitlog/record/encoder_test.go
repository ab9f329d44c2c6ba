package record_test

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := record.Encoder{AppendPropCRC: rapid.Bool().Draw(t, "crc")}
		put, pos := genMessage().Draw(t, "message"), genPosition().Draw(t, "position")
		if err := (&record.Limits{AppendPropCRC: e.AppendPropCRC}).Check(&put); err != nil {
			t.Fatal(err)
		}
		size := e.Size(&put)
		dst := bytes.Repeat([]byte{0xEE}, size+16)
		if n := e.Encode(dst, &put, pos); n != size {
			t.Fatalf("Encode %d, Size %d", n, size)
		}
		if !bytes.Equal(dst[size:], bytes.Repeat([]byte{0xEE}, 16)) {
			t.Fatal("Encode wrote behind its record")
		}
		if n, kind, err := record.Measure(dst); n != size || kind != record.KindRecord || err != nil {
			t.Fatal(n, kind, err)
		}
		if err := record.Verify(dst, pos.PhysicalOffset, record.CRCRecord); err != nil {
			t.Fatal(err)
		}
		var m record.MessageExt
		if err := record.Decode(dst, &m); err != nil {
			t.Fatal(err)
		}
		sameMessage(t, &m.Message, &put)
		if m.QueueOffset != pos.QueueOffset || m.PhysicalOffset != pos.PhysicalOffset || m.StoreTimestamp != pos.StoreTimestamp {
			t.Fatalf("position %+v", m)
		}
		var req record.DispatchRequest
		if err := record.ParseDispatch(dst, &req, nil); err != nil {
			t.Fatal(err)
		}
		if req.Topic != put.Topic || req.QueueOffset != pos.QueueOffset || int(req.Size) != size || string(req.Tags) != put.Tags() {
			t.Fatalf("dispatch %+v", req)
		}
	})
}

// A topic of up to 127 bytes makes a v1 record, a longer one a v2 record, even
// where its UTF-16 length is no more than 127.
func TestVersion(t *testing.T) {
	for _, c := range []struct {
		topic string
		magic uint32
	}{
		{strings.Repeat("t", 127), record.MagicV1},
		{strings.Repeat("t", 128), record.MagicV2},
		{strings.Repeat("題", 42), record.MagicV1},
		{strings.Repeat("題", 43), record.MagicV2},
		{strings.Repeat("t", 255), record.MagicV2},
	} {
		m := hello(nil)
		m.Topic = c.topic
		b := encode(record.Encoder{}, m, record.Position{})
		if got := binary.BigEndian.Uint32(b[4:]); got != c.magic {
			t.Errorf("%d bytes: magic %x", len(c.topic), got)
		}
		var x record.MessageExt
		if err := record.Decode(b, &x); err != nil || x.Topic != c.topic {
			t.Errorf("%d bytes: %q, %v", len(c.topic), x.Topic, err)
		}
	}
}

func TestEncodeTransaction(t *testing.T) {
	for flag, want := range map[int32]int64{
		record.SysTransactionNone: 9, record.SysTransactionPrepared: 0,
		record.SysTransactionCommit: 9, record.SysTransactionRollback: 0,
	} {
		m := hello(nil)
		m.SysFlag = flag
		b := encode(record.Encoder{}, m, record.Position{QueueOffset: 9})
		if got, err := record.QueueOffsetOf(b); got != want || err != nil {
			t.Errorf("sysFlag %#x: queueOffset %d, %v", flag, got, err)
		}
		if got := record.IsTransactionPending(flag); got != (want == 0) {
			t.Errorf("sysFlag %#x: pending %v", flag, got)
		}
	}
}

func TestEncodeDefaults(t *testing.T) {
	v4, v6 := host("1.2.3.4:5"), host("[2001:db8::1]:6")
	mapped := host("[::ffff:10.0.0.1]:7")
	zoned := host("[fe80::1%eth0]:8")
	for _, c := range []struct {
		host, born, wantBorn, wantStore netip.AddrPort
		bits                            int32
	}{
		{v4, netip.AddrPort{}, v4, v4, 0},
		{v6, netip.AddrPort{}, v6, v6, 0x30},
		{v6, v4, v4, v6, 0x20},
		{v4, v6, v6, v4, 0x10},
		{netip.AddrPort{}, netip.AddrPort{}, host("0.0.0.0:0"), host("0.0.0.0:0"), 0},
		{mapped, zoned, host("[fe80::1]:8"), host("10.0.0.1:7"), 0x10},
	} {
		m := record.Message{Topic: "T", BornHost: c.born, SysFlag: 0x31}
		b := encode(record.Encoder{Host: c.host}, m, record.Position{StoreTimestamp: 77})
		var x record.MessageExt
		if err := record.Decode(b, &x); err != nil {
			t.Fatal(err)
		}
		if x.BornHost != c.wantBorn || x.StoreHost != c.wantStore || x.SysFlag != 1|c.bits {
			t.Errorf("host %v born %v: got %v %v %#x", c.host, c.born, x.BornHost, x.StoreHost, x.SysFlag)
		}
		if x.BornTimestamp != 77 {
			t.Errorf("born timestamp %d, want that of the store", x.BornTimestamp)
		}
		if x.Body == nil || len(x.Body) != 0 || x.BodyCRC != 0 {
			t.Errorf("a nil body came back as %v with CRC %d", x.Body, x.BodyCRC)
		}
		if ts, err := record.StoreTimestampOf(b); ts != 77 || err != nil {
			t.Errorf("StoreTimestampOf: %d, %v", ts, err)
		}
	}
}

// An old checksum property is dropped wherever it stands, with or without a new
// trailer, and a missing separator is added before the trailer only.
func TestEncodeProperties(t *testing.T) {
	const old = "__CRC32#\x011234567890\x02"
	for _, c := range []struct{ in, plain, crc string }{
		{"", "", ""},
		{"a\x01b", "a\x01b", "a\x01b\x02"},
		{"a\x01b\x02", "a\x01b\x02", "a\x01b\x02"},
		{old, "", ""},
		{old + "a\x01b", "a\x01b", "a\x01b\x02"},
		{"a\x01b\x02" + old, "a\x01b\x02", "a\x01b\x02"},
		{"a\x01b\x02" + old + "c\x01d\x02" + old, "a\x01b\x02c\x01d\x02", "a\x01b\x02c\x01d\x02"},
		{"a\x01b\x02__CRC32#\x011", "a\x01b\x02", "a\x01b\x02"},
		{"a\x01__CRC32#\x02", "a\x01__CRC32#\x02", "a\x01__CRC32#\x02"},
		{"a#\x01b\x02", "a#\x01b\x02", "a#\x01b\x02"},
	} {
		for _, e := range []record.Encoder{{}, {AppendPropCRC: true}} {
			want := c.plain
			if e.AppendPropCRC {
				want = c.crc
			}
			b := encode(e, hello(record.Properties(c.in)), record.Position{})
			var m record.MessageExt
			if err := record.Decode(b, &m); err != nil || string(m.Properties) != want {
				t.Errorf("%q crc=%v: got %q, want %q (%v)", c.in, e.AppendPropCRC, m.Properties, want, err)
			}
			if got := record.HasRecordCRC(b); got != e.AppendPropCRC {
				t.Errorf("%q: HasRecordCRC = %v", c.in, got)
			}
			if err := record.Verify(b, 0, record.CRCRecord); err != nil {
				t.Errorf("%q: %v", c.in, err)
			}
		}
	}
}

// What Limits refuses must not become a wrong record if it was not asked.
func TestEncodeUnchecked(t *testing.T) {
	long := strings.Repeat("x", 32768)
	for name, m := range map[string]record.Message{
		"properties": hello(record.Properties(long)),
		"topic":      {Topic: long},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			encode(record.Encoder{}, m, record.Position{})
		}()
	}
	defer func() {
		if recover() == nil {
			t.Error("inner batch: no panic")
		}
	}()
	record.EncodeInnerBatch(nil, []record.Message{hello(record.Properties(long))})
}
