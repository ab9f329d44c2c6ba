package record_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
)

func TestMeasure(t *testing.T) {
	for _, c := range []struct {
		hex  string
		size int
		kind record.Kind
		ok   bool
	}{
		{"000000a8 daa320a7", 168, record.KindRecord, true},
		{"7fffffff daa320ab", 1<<31 - 1, record.KindRecord, true},
		{"0000005b daa320a7", 91, record.KindRecord, true},
		{"0000005a daa320a7", 0, 0, false},
		{"800000a8 daa320a7", 0, 0, false},
		{"00000064 cbd43194", 100, record.KindBlank, true},
		{"00000008 cbd43194", 8, record.KindBlank, true},
		{"00000007 cbd43194", 0, 0, false},
		{"ffffffff cbd43194", 0, 0, false},
		{"000000c8 00000000", 0, 0, false},
		{"00000000 00000000", 0, 0, false},
		{"000000a8 daa320", 0, 0, false},
	} {
		size, kind, err := record.Measure(unhex(c.hex))
		if size != c.size || kind != c.kind || (err == nil) != c.ok || err != nil && !errors.Is(err, record.ErrCorrupt) {
			t.Errorf("%s: %d %v %v", c.hex, size, kind, err)
		}
	}
	if record.KindBlank.String() != "BLANK" || record.KindRecord.String() != "record" {
		t.Error("names of kinds")
	}
}

func TestFindMagic(t *testing.T) {
	a := unhex(goldenA)
	for _, c := range []struct {
		name string
		b    []byte
		want int
	}{
		{"nothing", nil, -1},
		{"seven bytes", a[:7], -1},
		{"at once", a, 0},
		{"just the first 8 bytes", a[:8], 0},
		{"behind junk", append(bytes.Repeat([]byte{0xDA}, 7), a...), 7},
		{"magic without room for a size", a[4:], -1},
		{"v2", unhex("01 02 03 04 05 daa320ab"), 1},
		{"nearly", unhex("01 02 03 04 05 daa320aa"), -1},
		{"first byte of a magic at the end", append(make([]byte, 9), 0xDA, 0xA3, 0x20), -1},
		{"only a BLANK", unhex("00000064 cbd43194"), -1},
	} {
		if got := record.FindMagic(c.b); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

func TestAccessors(t *testing.T) {
	v4, v6 := unhex(goldenA), unhex(goldenB)
	id, _ := record.QueueIDOf(v4)
	queue, _ := record.QueueOffsetOf(v4)
	phy, _ := record.PhysicalOffsetOf(v4)
	flag, _ := record.SysFlagOf(v6)
	t4, _ := record.StoreTimestampOf(v4)
	t6, _ := record.StoreTimestampOf(v6)
	if id != 3 || queue != 7 || phy != 4096 || flag != 0x30 || t4 != stored || t6 != 1700000000001 {
		t.Error(id, queue, phy, flag, t4, t6)
	}
	for _, b := range [][]byte{nil, v4[:10], v6[:70], unhex(goldenBody)} {
		_, e1 := record.QueueIDOf(b[:min(len(b), 15)])
		_, e2 := record.StoreTimestampOf(b)
		if !errors.Is(e1, record.ErrCorrupt) || !errors.Is(e2, record.ErrCorrupt) {
			t.Errorf("%x: %v, %v", b, e1, e2)
		}
	}
	if _, err := record.QueueOffsetOf(v4[:27]); err == nil {
		t.Error("a cut queueOffset was read")
	}
}
