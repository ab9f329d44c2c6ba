package recoverer_test

import (
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
)

// TestDeletedSinceTheSummary: a topic that was deleted behind the summary, or while
// it was being written, and perhaps begun anew, is no damage, and its messages are
// those behind the deletion.
func TestDeletedSinceTheSummary(t *testing.T) {
	for _, during := range []bool{false, true} {
		for _, anew := range []int{0, 1, 5, 30, 40} {
			t.Run(fmt.Sprintf("during it %t, %d messages anew", during, anew), func(t *testing.T) {
				s := open(t, newFS())
				for i := range 30 {
					s.put(message("T", 0, i, 80))
					s.put(message("U", 0, i, 10))
				}
				s.summary()
				s.mark()
				old, err := checkpoint.ReadQueues(s.fs, s.layout)
				if err != nil {
					t.Fatal(err)
				}
				if err := checkpoint.WriteDeleted(s.fs, s.layout, checkpoint.DeletedTopics{"T": s.log.Appended()}); err != nil {
					t.Fatal(err)
				}
				if err := s.queues.DeleteTopic("T"); err != nil {
					t.Fatal(err)
				}
				s.append.Offsets().Delete("T")
				if during {
					s.put(message("U", 0, 30, 10))
					old.Dispatched, old.Queues[1].MaxOffset = s.log.Dispatched(), 31
					if err := checkpoint.WriteQueues(s.fs, s.layout, old); err != nil {
						t.Fatal(err)
					}
				}
				for i := range anew {
					s.put(message("T", 0, i, 80))
				}
				s.kill()
				s = open(t, s.fs)
				for _, f := range s.report.Findings {
					t.Errorf("finding: %s", f)
				}
				want := line(0, anew)
				if anew == 0 {
					want = "none"
				}
				if got := s.read("T", 0); got != want {
					t.Errorf("read %s, want %s", got, want)
				}
				for _, f := range verify(t, s) {
					t.Errorf("verify: %s", f)
				}
				s.kill()
			})
		}
	}
}
