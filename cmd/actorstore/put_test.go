package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestPutAndGet(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "new")
	put := succeeds(t, with(small, "put", dir, "orders", "héllo", "--queue", "3", "--tags", "paid", "--key", "k1", "--key", "k2",
		"--property", "region=eu", "--flag", "7", "--json")...)
	var p struct {
		Topic, ID, Status, Durability string
		Queue, Offset, Phy, Size      int64
	}
	if err := json.Unmarshal([]byte(put.out), &p); err != nil {
		t.Fatal(err)
	}
	if p.Topic != "orders" || p.Queue != 3 || p.Offset != 0 || p.Phy != 0 || p.Status != "PUT_OK" || p.Durability != "written" ||
		p.ID != "7F00000100002A9F0000000000000000" {
		t.Errorf("put: %s", put.out)
	}
	get := succeeds(t, "get", dir, "orders", "--json")
	for _, want := range []string{`"queue":3,"offset":0,"phy":0,`, `"flag":7,`, `KEYS=k1 k2;`, `TAGS=paid;`, `region=eu;`,
		`__CRC32#=`, `"body":"héllo","encoding":"text"}`} {
		if !strings.Contains(get.out, want) {
			t.Errorf("get lacks %s: %s", want, get.out)
		}
	}
	if o := succeeds(t, "query", dir, "orders", "k2", "--json"); o.out != `{"query":"orders/k2","offsets":"0"}`+"\n" {
		t.Errorf("query: %s", o.out)
	}
	if o := succeeds(t, "get", dir, "orders", "3", "--body", "text"); !strings.Contains(o.out, "\nhéllo\n") || !strings.Contains(o.out, "region = eu") {
		t.Errorf("get for people: %s", o.out)
	}
	if o := succeeds(t, "get", dir, "orders"); !strings.Contains(o.out, "TAGS") || !strings.Contains(o.out, "k1 k2  héllo\n") {
		t.Errorf("table: %q", o.out)
	}
}

func TestPutFromInput(t *testing.T) {
	dir := t.TempDir()
	body := "a\x00b\xff\n"
	for _, args := range [][]string{with(small, "put", dir, "t", "-", "--flush", "sync"), {"put", dir, "t"}} {
		if o := programIn(t, strings.NewReader(body), args...); o.code != exitOK {
			t.Fatalf("%v: %s", args, o.err)
		}
	}
	o := succeeds(t, "get", "--json", dir, "t", "--body", "hex")
	if strings.Count(o.out, `"len":5,`) != 2 || strings.Count(o.out, `"body":"610062ff0a","encoding":"hex"`) != 2 {
		t.Errorf("got %s", o.out)
	}
	if o := succeeds(t, "get", "--json", dir, "t"); strings.Count(o.out, `"body":"YQBi/wo=","encoding":"base64"`) != 2 {
		t.Errorf("got %s", o.out)
	}
}

func TestPutDelayed(t *testing.T) {
	dir := t.TempDir()
	succeeds(t, with(small, "put", dir, "orders", "x", "--queue", "2", "--delay", "10s")...)
	o := succeeds(t, "get", "--json", dir, "SCHEDULE_TOPIC_XXXX", "2")
	for _, want := range []string{"DELAY=3;", "REAL_TOPIC=orders;", "REAL_QID=2;"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("lacks %s: %s", want, o.out)
		}
	}
}

func TestGetSelects(t *testing.T) {
	dir := t.TempDir()
	s := smallStore(t, dir)
	putMany(t, s, 10)
	for _, c := range []struct {
		args string
		want string
	}{
		{"0", "0 1 2 3 4 5 6 7 8 9"},
		{"0 --offset 7", "7 8 9"},
		{"--offset 2 -n 3", "2 3 4"},
		{"0 --tags even -n 3", "0 2 4"},
		{"0 --tags odd||none --offset 4 -n -1", "5 7 9"},
		{"0 --time 0 -n 2", "0 1"},
	} {
		o := succeeds(t, with([]string{"get", "--json", dir, "t"}, strings.Fields(c.args)...)...)
		var got []string
		for _, l := range o.lines() {
			var m struct{ Body string }
			if err := json.Unmarshal([]byte(l), &m); err != nil {
				t.Fatal(err)
			}
			got = append(got, m.Body)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("get %s: %v, want %s", c.args, got, c.want)
		}
	}
	if o := program(t, "get", dir, "t", "0", "--time", "2999-01-01"); o.code != exitNotFound {
		t.Errorf("a time to come: exit code %d: %s", o.code, o.out)
	}
}
