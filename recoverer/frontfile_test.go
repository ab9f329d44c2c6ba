package recoverer_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// The first file of a queue that is gone was taken for what retention has removed,
// if the queue went on behind what its summary knew: the queue began behind the gap
// from then on, and nobody was told.
func TestQueueFileInFrontIsGone(t *testing.T) {
	for _, known := range []int{3, 7, 9, 10, 12} { // units that the summary knows, ten stand in a file
		for _, units := range []int{13, 25} {
			t.Run(fmt.Sprintf("%d of %d", known, units), func(t *testing.T) {
				s := open(t, newFS())
				for i := range known {
					s.put(message("T", 0, i, 10))
				}
				s.summary()
				s.mark()
				for i := known; i < units; i++ {
					s.put(message("T", 0, i, 10))
				}
				s.kill()
				remove(t, s.fs, filepath.Join(s.layout.ConsumeQueue(), "T", "0", mapped.Name(0)))
				s = open(t, s.fs)
				if got, want := s.read("T", 0), line(0, units); got != want {
					t.Errorf("read %s, want %s", got, want)
				}
				if len(s.report.Findings) == 0 {
					t.Error("nobody was told")
				}
				for _, f := range verify(t, s) {
					t.Errorf("verify: %s", f)
				}
				s.kill()
			})
		}
	}
}
