package indexsvc_test

import (
	"bytes"
	"errors"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// F32: a damaged chain ends after its healthy part, with an error that names the
// place; other files are searched all the same.
func TestCorruptChains(t *testing.T) {
	p := place{7, 8}
	older := func(t *testing.T) *mappedtest.FS {
		fsys := newFS()
		put(t, open(t, fsys, 7, 8), key(10, "k"), key(20, "k k k k k k"))
		put(t, open(t, fsys, 7, 8), key(30, "k"), key(40, "k"), key(50, "k"), key(60, "k"))
		return fsys
	}
	slotOf := func(b []byte) int {
		for n := range 7 {
			if b[p.slot(n)+3] != 0 {
				return n
			}
		}
		return -1
	}
	all := []int64{60, 50, 40, 30, 20, 10}
	for name, c := range map[string]struct {
		change func(b []byte)
		want   []int64
	}{
		"prev is itself":         {func(b []byte) { put32(b, p.entry(3)+16, 3) }, []int64{60, 50, 20, 10}},
		"cycle of two":           {func(b []byte) { put32(b, p.entry(2)+16, 3) }, []int64{60, 50, 40, 20, 10}},
		"prev beyond its number": {func(b []byte) { put32(b, p.entry(4)+16, 7) }, []int64{60, 20, 10}},
		"prev beyond the count":  {func(b []byte) { put32(b, p.entry(4)+16, math.MaxInt32) }, []int64{60, 20, 10}},
		"negative prev":          {func(b []byte) { put32(b, p.entry(1)+16, -1) }, all},
		"negative hash":          {func(b []byte) { put32(b, p.entry(2), -5) }, []int64{60, 50, 20, 10}},
		"hash of another slot":   {func(b []byte) { put32(b, p.entry(2), 1) }, []int64{60, 50, 20, 10}},
		"negative offset":        {func(b []byte) { put64(b, p.entry(3)+4, -1) }, []int64{60, 20, 10}},
		"slot beyond the count":  {func(b []byte) { put32(b, p.slot(slotOf(b)), 6) }, []int64{20, 10}},
		"slot beyond the file":   {func(b []byte) { put32(b, p.slot(slotOf(b)), math.MaxInt32) }, []int64{20, 10}},
		"negative slot":          {func(b []byte) { put32(b, p.slot(slotOf(b)), -1) }, []int64{20, 10}},
	} {
		t.Run(name, func(t *testing.T) {
			fsys := older(t)
			path := dir + "/" + names(t, fsys, dir)[1]
			b := readFile(t, fsys, path)
			c.change(b)
			writeFile(t, fsys, path, b)
			s := open(t, fsys, 7, 8)
			if len(s.Damaged()) != 0 {
				t.Skip("found by Open")
			}
			var got []int64
			err := s.Query("T", "k", 0, func(phy int64) bool { got = append(got, phy); return true })
			var corrupt *record.CorruptionError
			if !errors.As(err, &corrupt) || corrupt.Path != path {
				t.Errorf("got error %v", err)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
			if err := s.Verify(nil); !errors.As(err, &corrupt) || corrupt.Path != path {
				t.Errorf("verify: %v", err)
			}
			// Dropped and put again, all is well.
			if err := s.DropFrom(filepath.Base(path), aside); err != nil {
				t.Fatal(err)
			}
			wantBytes(t, readFile(t, fsys, aside+"/index-"+filepath.Base(path)), b)
			put(t, s, key(20, "k k k k k k"), key(30, "k"), key(40, "k"), key(50, "k"), key(60, "k"))
			wantFound(t, s, "T", "k", all...)
			verify(t, s)
		})
	}
}

// A slot that names an entry that was never put is empty for the writer.
func TestPutIntoADamagedSlot(t *testing.T) {
	fsys := newFS()
	p := place{7, 8}
	put(t, open(t, fsys, 7, 8), key(10, "k"))
	path := dir + "/" + names(t, fsys, dir)[0]
	whole := readFile(t, fsys, path)
	for _, junk := range []int32{-1, 2, 3, 8, math.MaxInt32} {
		b := bytes.Clone(whole)
		for n := range 7 {
			if b[p.slot(n)+3] != 0 {
				put32(b, p.slot(n), junk)
			}
		}
		writeFile(t, fsys, path, b)
		s := open(t, fsys, 7, 8)
		put(t, s, key(20, "k"))
		wantFound(t, s, "T", "k", 20)
	}
}
