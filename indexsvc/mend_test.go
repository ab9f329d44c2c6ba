package indexsvc_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
)

// span is a range of bytes that one store, or the stores before the next one
// that matters, changes.
type span struct{ at, n int }

// A process is killed between any two stores of a put: nothing that was put
// before is lost, and putting the record again gives the bytes of a put that was
// not cut off.
func TestMendAfterKill(t *testing.T) {
	const slots, entries = 2, 6
	p := place{slots, entries}
	filled := []record.DispatchRequest{key(10, "a"), key(20, "b"), key(30, "c"), key(40, "a"), key(50, "b")}
	for name, c := range map[string]struct {
		before []record.DispatchRequest
		next   record.DispatchRequest
		n      int // number of the entry
	}{
		"first entry":             {nil, key(10, "a"), 1},
		"chain goes on":           {[]record.DispatchRequest{key(10, "a"), key(20, "b"), key(30, "a")}, key(40, "a"), 4},
		"new slot":                {[]record.DispatchRequest{key(10, "a")}, key(40, "b"), 2},
		"second key of a record":  {[]record.DispatchRequest{key(10, "a")}, key(40, "b a"), 2},
		"first of a second file":  {append(filled, key(60, "")), rec(70, t0+99999, "T", "", "a", ""), 1},
		"last entry of the file":  {filled[:4], key(50, "a"), 5},
		"all entries of one slot": {[]record.DispatchRequest{key(10, "a"), key(20, "a")}, key(30, "a"), 3},
	} {
		fsys := newFS()
		s := open(t, fsys, slots, entries)
		put(t, s, rec(1, t0, "T", "", "", "")) // makes the first file
		put(t, s, c.before...)
		files := s.Files()
		path := files[len(files)-1].Path
		before := readFile(t, fsys, path)
		one := c.next
		first, _, _ := bytes.Cut(one.Keys, []byte(" "))
		one.Keys = first
		put(t, s, one)
		after := readFile(t, fsys, path)
		put(t, s, c.next)
		whole := contents(t, fsys, s)

		image := bytes.Clone(before)
		stores := []span{{p.entry(c.n), 4}, {p.entry(c.n) + 4, 16}, {p.slot(0), 4 * slots}}
		if c.n == 1 {
			stores = append(stores, span{16, 8}, span{0, 8})
		}
		stores = append(stores, span{24, 8}, span{8, 8}, span{32, 8})
		for i := range stores {
			what := stores[i]
			for _, readOnly := range []bool{true, false} {
				writeFile(t, fsys, path, image)
				o := options(fsys, slots, entries)
				o.ReadOnly = readOnly
				s, err := indexsvc.Open(o)
				if err != nil {
					t.Fatal(err)
				}
				if d := s.Damaged(); d != nil {
					t.Fatalf("%s, before store %d %v: %v", name, i, what, d)
				}
				for _, k := range []string{"a", "b", "c"} {
					var want []int64
					for _, r := range c.before {
						if string(r.Keys) == k {
							want = append([]int64{r.PhysicalOffset}, want...)
						}
					}
					wantFound(t, s, "T", k, want...)
				}
				verify(t, s)
				if readOnly {
					if err := s.VerifyRecords(asPut(slices.Concat(c.before, []record.DispatchRequest{c.next}))); err != nil {
						t.Errorf("%s, before store %d %v: %v", name, i, what, err)
					}
					if !bytes.Equal(readFile(t, fsys, path), image) {
						t.Errorf("%s: read-only, file changed", name)
					}
					continue
				}
				if b := readFile(t, fsys, path); len(files) == 2 && !bytes.Equal(b[:40], before[:40]) {
					t.Errorf("%s, before store %d: header % x, was % x", name, i, b[:40], before[:40])
				}
				put(t, s, c.next)
				verify(t, s)
				for f, b := range contents(t, fsys, s) {
					if !bytes.Equal(b, whole[f]) {
						t.Errorf("%s, before store %d %v: file %d\ngot  % x\nwant % x", name, i, what, f, b, whole[f])
					}
				}
			}
			copy(image[what.at:what.at+what.n], after[what.at:])
		}
		if !bytes.Equal(image, after) {
			t.Fatalf("%s: the stores do not add up", name)
		}
	}
}

// asPut finds the records that were put.
func asPut(records []record.DispatchRequest) func(int64, *record.DispatchRequest) bool {
	return func(offset int64, req *record.DispatchRequest) bool {
		for _, r := range records {
			if r.PhysicalOffset == offset {
				*req = r
				return true
			}
		}
		return false
	}
}
