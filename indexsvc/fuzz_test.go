package indexsvc_test

import (
	"errors"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/tests/alloc"
)

// cheap wants opening, reading and verifying to allocate no more than the bytes
// are worth, beside errors and the buffers that look for a geometry that nothing
// tells, and through a file without keys.
func cheap(t *testing.T, n int, o indexsvc.Options) {
	t.Helper()
	const (
		small    = 1 << 10
		verified = small + 64<<10
		guessed  = small + 1<<20 + 8<<10
	)
	within := func(fixed int, do func()) {
		t.Helper()
		if err := alloc.Check(n, fixed, do); err != nil {
			t.Fatal(err)
		}
	}
	var s *indexsvc.Service
	within(guessed, func() { s, _ = indexsvc.Open(o) })
	if s == nil {
		return
	}
	within(small, func() { _ = s.Query("TopicTest", "k1", 0, func(int64) bool { return true }) })
	within(verified, func() { _ = s.Verify(func(records []indexsvc.Indexed) (int, error) { return len(records), nil }) })
}

// FuzzFile gives arbitrary bytes for an index file: opening, reading and writing
// end, without a panic, and errors are of the kinds that are promised.
func FuzzFile(f *testing.F) {
	p := place{7, 5}
	f.Add(unhex(f, threeKeysAndOne), 7, 5)
	f.Add(unhex(f, withTag), 0, 0)
	f.Add(make([]byte, p.entry(5)), 7, 5)
	f.Add(make([]byte, 39), 7, 5)
	cycle := unhex(f, threeKeysAndOne)
	put32(cycle, p.entry(2)+16, 4)
	f.Add(cycle, 7, 5)
	f.Fuzz(func(t *testing.T, b []byte, slots, entries int) {
		if len(b) > 1<<14 || slots > 1000 || entries > 1000 {
			return
		}
		fsys := newFS()
		writeFile(t, fsys, dir+"/20231114221320123", b)
		o := options(fsys, slots, entries)
		ro := o
		ro.ReadOnly = true
		cheap(t, len(b), ro)
		for _, o := range []indexsvc.Options{ro, o} {
			s, err := indexsvc.Open(o)
			if err != nil {
				if slots >= 0 && entries != 1 && entries >= 0 {
					t.Fatal(err)
				}
				return
			}
			corrupt := s.Verify(func(records []indexsvc.Indexed) (int, error) { return len(records), nil })
			if corrupt != nil && !errors.Is(corrupt, record.ErrCorrupt) {
				t.Fatal(corrupt)
			}
			read := func() {
				for _, k := range []string{"k1", "a", "b"} {
					n := 0
					err := s.Query("TopicTest", k, 0, func(phy int64) bool { n++; return phy >= 0 })
					if err != nil && (corrupt == nil || !errors.Is(err, record.ErrCorrupt)) || n > len(b)/20+9 {
						t.Fatalf("%d hits, %v, verify said %v", n, err, corrupt)
					}
				}
			}
			read()
			if o.ReadOnly || slots == 0 || entries == 0 || s.EndPhyOffset() > 1<<62 {
				continue // a file of the default size takes long to make
			}
			end := max(s.EndPhyOffset(), 0)
			for i := range int64(4) {
				put(t, s, rec(end+i, t0, "TopicTest", "u", "k1 a", ""))
			}
			read()
			if corrupt == nil {
				verify(t, s)
			}
			if err := s.Reset(""); err != nil {
				t.Fatal(err)
			}
		}
	})
}
