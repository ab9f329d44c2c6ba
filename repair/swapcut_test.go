package repair_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestCutWhileLastSegmentsChangePlaces: of two segments that had changed places one
// waited in aside when repair was cut. The last one was then taken to be in its own
// place, so was an unused one, and what waited was never missed: its records were
// out of the log for good.
func TestCutWhileLastSegmentsChangePlaces(t *testing.T) {
	for name, unused := range map[string]bool{"both in use": false, "one unused": true} {
		t.Run(name, func(t *testing.T) {
			base := closed(t)
			s := names(t, base, "commitlog")
			i, j := s[len(s)-2], s[len(s)-1]
			if unused {
				i, j = j, fmt.Sprintf("%s/commitlog/%020d", root, len(s)*segmentSize)
				save(t, base, j, make([]byte, segmentSize))
				must(t, base.SyncDir(root+"/commitlog"))
			}
			a, b := load(t, base, i), load(t, base, j)
			save(t, base, i, b)
			save(t, base, j, a)
			o := options(nil)
			script := mappedtest.NewScript(base.Kill())
			o.FS = script
			_, err := actorstore.Repair(t.Context(), o, actorstore.RepairOptions{})
			must(t, err)
			want := outcome(t, script)
			var moves []int // the calls that move a segment, and those behind them
			for _, c := range script.Trace() {
				if c.Op == mappedtest.OpRename && strings.Contains(c.Path, "commitlog") {
					moves = append(moves, c.N, c.N+1, c.N+2)
				}
			}
			if len(moves) < 3*3 {
				t.Fatalf("calls that move a segment: %v", moves)
			}
			for _, k := range moves {
				image := base.Kill()
				o.FS = mappedtest.NewScript(image, mappedtest.Rule{At: k, Forever: true, Err: syscall.EIO})
				_, _ = actorstore.Repair(t.Context(), o, actorstore.RepairOptions{})
				for how, next := range map[string]*mappedtest.FS{"kill": image.Kill(), "power cut": image.Crash(uint64(k), mappedtest.Random)} {
					if _, err := actorstore.Repair(t.Context(), options(next), actorstore.RepairOptions{}); err != nil {
						t.Fatalf("%s at call %d: %v", how, k, err)
					}
					if got := outcome(t, next); got != want {
						t.Fatalf("%s at call %d: %s", how, k, differ(want, got))
					}
				}
			}
		})
	}
}
