package recoverer_test

import (
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/recoverer"
)

// TestIndexOffAndOnAgain: a store was closed with its index off, so the summary
// says nothing of the index. What the index lacks begins behind its last record,
// not inside it: nothing there is damage.
func TestIndexOffAndOnAgain(t *testing.T) {
	for name, force := range map[string]func() func(){"in one pass": func() func() { return func() {} }, "at once": recoverer.IndexApart} {
		for _, more := range []int{0, 1, 60} {
			for _, deferIndex := range []int64{0, 1} {
				t.Run(fmt.Sprintf("%s, %d records more, deferred from %d", name, more, deferIndex), func(t *testing.T) {
					s := open(t, newFS())
					for i := range 35 {
						s.put(message("T", 0, i, 100))
					}
					s.close()
					s = open(t, s.fs, withoutIndex)
					index := s.index.EndPhyOffset()
					s.index.Close()
					s.index = another(t, s)
					for i := range more {
						s.put(message("T", 0, 35+i, 100))
					}
					s.close()
					q, err := checkpoint.ReadQueues(s.fs, s.layout)
					if err != nil {
						t.Fatal(err)
					}
					q.IndexApplied = -1
					if err := checkpoint.WriteQueues(s.fs, s.layout, q); err != nil {
						t.Fatal(err)
					}
					defer force()()
					s = open(t, s.fs, func(_ *store, in *recoverer.Input) { in.DeferIndex = deferIndex })
					if len(s.report.Damage) != 0 || len(s.report.Findings) != 0 {
						t.Errorf("the index ends at %d: %v", index, s.report.Findings)
					}
					if from := s.report.IndexFrom; from >= 0 {
						s.log.Restore(s.report.Min, from, s.report.End)
						s.dispatch()
					}
					for i := range 35 + more {
						if hits := s.hits("T", fmt.Sprint("k", i)); len(hits) != 1 {
							t.Errorf("k%d is found at %v", i, hits)
						}
					}
					s.close()
				})
			}
		}
	}
}

// another index takes what a store puts that has its own switched off.
func another(t *testing.T, s *store) *indexsvc.Service {
	t.Helper()
	x, err := indexsvc.Open(indexsvc.Options{FS: s.fs, Dir: "/another", TmpDir: s.layout.Tmp(), MaxHashSlotNum: indexSlots, MaxIndexNum: indexEntries})
	if err != nil {
		t.Fatal(err)
	}
	return x
}
