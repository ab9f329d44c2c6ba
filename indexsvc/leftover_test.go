package indexsvc_test

import (
	"testing"

	"github.com/actorstore/actorstore/indexsvc"
)

// A power cut left entries far behind the count, and none at it. When the count
// came near them the file was taken for damaged, and its keys were not found
// until it was made again.
func TestLeftoverEntriesBehindTheCount(t *testing.T) {
	const slots, entries = 4, 20
	p := place{slots, entries}
	fsys := newFS()
	s := open(t, fsys, slots, entries)
	put(t, s, key(10, "a"), key(20, "b"))
	path := s.Files()[0].Path
	b := readFile(t, fsys, path)
	for n := 8; n < 14; n++ {
		put32(b, p.entry(n), 77)
		put64(b, p.entry(n)+4, int64(1000+n))
	}
	writeFile(t, fsys, path, b)
	s = open(t, fsys, slots, entries)
	for n := int64(3); n < entries; n++ {
		put(t, s, key(10*n, "a"))
		o := options(fsys, slots, entries)
		o.ReadOnly = true
		look, err := indexsvc.Open(o)
		if err != nil {
			t.Fatal(err)
		}
		if bad := look.Damaged(); len(bad) > 0 {
			t.Fatalf("after %d entries: %v", n, bad[0])
		}
		if got := find(t, look, "T", "a"); int64(len(got)) != n-1 {
			t.Fatalf("after %d entries %d records are found, want %d", n, len(got), n-1)
		}
		verify(t, look)
	}
}
