package recoverer_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
)

// TestRecordHalfIndexed: the keys of a record stand in two index files, and an
// opening that then failed has taken out the second one. Whatever the summary says
// the next opening gives the record its other keys again.
func TestRecordHalfIndexed(t *testing.T) {
	half := 0
	for n := 20; n < 60; n++ {
		s := open(t, newFS())
		for i := range n {
			m := message("T", 0, i, 100)
			m.SetKeys(fmt.Sprintf("k%d", i), fmt.Sprintf("m%d", i), fmt.Sprintf("n%d", i))
			s.put(m)
		}
		s.close()
		s = open(t, s.fs)
		files := s.index.Files()
		last := files[len(files)-1]
		before := len(files) > 1 && files[len(files)-2].EndPhyOffset == last.BeginPhyOffset &&
			last.BeginPhyOffset == last.EndPhyOffset // the last record, and only its other keys
		s.close()
		if !before {
			continue
		}
		half++
		remove(t, s.fs, last.Path)
		if err := checkpoint.CreateAbort(s.fs, s.layout, 1); err != nil {
			t.Fatal(err)
		}
		s = open(t, s.fs)
		for _, key := range []string{"k", "m", "n"} {
			if hits := s.hits("T", fmt.Sprint(key, n-1)); !slices.Equal(hits, []int64{last.EndPhyOffset}) {
				t.Errorf("%d records: %s%d is found at %v, want %d", n, key, n-1, hits, last.EndPhyOffset)
			}
		}
		s.close()
	}
	if half == 0 {
		t.Error("no record had its keys in two files")
	}
}
