package recoverer

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/consumequeue"
)

// TestFill: the units of a hole take every offset once, stand in log order apart
// from each other, and stay inside their range.
func TestFill(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := rapid.Int64Range(0, 1<<40).Draw(t, "from")
		count := rapid.Int64Range(1, 200).Draw(t, "count")
		offset := rapid.Int64Range(0, 1<<40).Draw(t, "offset")
		size := rapid.Int64Range(1, 100000).Draw(t, "size")
		kind := rapid.SampledFrom([]consumequeue.Kind{consumequeue.Simple, consumequeue.Batch}).Draw(t, "kind")
		units := fill(from, from+count, offset, offset+size, 7, kind)
		if units == nil {
			if kind == consumequeue.Simple && count <= size {
				t.Fatal("there was room")
			}
			return
		}
		next, low := from, offset
		for i := range units {
			u := &units[i]
			if u.QueueOffset != next || u.PhysicalOffset < low || u.Size <= 0 || endOf(u) > offset+size {
				t.Fatalf("unit %d: %+v, want offset %d from %d on", i, *u, next, low)
			}
			next, low = nextOf(u), endOf(u)
		}
		if next != from+count {
			t.Fatalf("the last unit ends at %d, want %d", next, from+count)
		}
	})
}

// TestDamages compares the list with a plain search.
func TestDamages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var d damages
		var plain []Damage
		for range rapid.IntRange(0, 12).Draw(t, "n") {
			at := rapid.Int64Range(0, 200).Draw(t, "at")
			x := Damage{Offset: at, Next: at + rapid.Int64Range(1, 20).Draw(t, "size")}
			meets := false
			for _, y := range plain {
				meets = meets || x.Offset < y.Next && y.Offset < x.Next
			}
			if added := d.add(x); added == meets {
				t.Fatalf("add %+v to %+v: %v", x, plain, added)
			}
			if !meets {
				plain = append(plain, x)
			}
		}
		for at := int64(0); at < 230; at++ {
			var in, next *Damage
			for i := range plain {
				y := &plain[i]
				if y.Offset <= at && at < y.Next {
					in = y
				}
				if y.Next > at && (next == nil || y.Offset < next.Offset) {
					next = y
				}
			}
			if got, ok := d.at(at); ok != (in != nil) || ok && got.Offset != in.Offset {
				t.Fatalf("at %d: %+v %v", at, got, ok)
			}
			if got, ok := d.next(at); ok != (next != nil) || ok && got.Offset != next.Offset {
				t.Fatalf("next of %d: %+v %v", at, got, ok)
			}
		}
		from := rapid.Int64Range(0, 200).Draw(t, "from")
		to := from + rapid.Int64Range(0, 100).Draw(t, "width")
		var last *Damage
		for i := range plain {
			if y := &plain[i]; y.Next <= to && (last == nil || y.Offset > last.Offset) {
				last = y
			}
		}
		if last != nil && last.Offset < from {
			last = nil
		}
		if got, ok := d.between(from, to); ok != (last != nil) || ok && got.Offset != last.Offset {
			t.Fatalf("between %d and %d: %+v %v", from, to, got, ok)
		}
	})
}

func TestZeroSector(t *testing.T) {
	for _, c := range []struct {
		name   string
		offset int64
		n      int
		fill   func(b []byte)
		want   bool
	}{
		{"nothing", 0, 0, nil, false},
		{"one sector", 512, 512, nil, true},
		{"part of a sector", 512, 511, nil, false},
		{"sector with a byte", 512, 512, func(b []byte) { b[511] = 1 }, false},
		{"rest of a sector", 700, 324, nil, true},
		{"three bytes at its end", 1021, 3, nil, false},
		{"four bytes at its end", 1020, 4, nil, true},
		{"second sector", 700, 324 + 512, func(b []byte) { b[3] = 1 }, true},
		{"both written", 700, 324 + 512, func(b []byte) { b[3], b[330] = 1, 1 }, false},
		{"a part behind them", 700, 324 + 512 + 100, func(b []byte) { b[3], b[330] = 1, 1 }, false},
	} {
		b := make([]byte, c.n)
		if c.fill != nil {
			c.fill(b)
		}
		if got := hasZeroSector(b, c.offset); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
