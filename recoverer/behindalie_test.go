package recoverer_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/actorstore/actorstore/consumequeue"
)

// TestUnitPointsBehindTheNextRecord: the record of the last unit is damaged, and so are
// that unit and some in front of it: they point at another damaged record, behind the
// one that is to be added. The queue refused that one, and the store did not open; then
// the queue lost those in front; or it lacked those behind until the next opening.
func TestUnitPointsBehindTheNextRecord(t *testing.T) {
	for _, c := range []struct {
		had, damaged, lies, more int
		there                    bool // those behind have units
	}{
		{5, 1, 1, 1, false}, {5, 1, 1, 3, false}, {5, 2, 2, 1, false}, {5, 3, 1, 2, false}, {5, 5, 1, 1, false}, {5, 5, 1, 3, false},
		{1, 1, 1, 2, false}, {5, 1, 1, 1, true}, {5, 2, 2, 3, true}, {10, 1, 1, 3, true},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			had := c.had
			s := open(t, newFS())
			var at []int64
			for i := range had {
				at = append(at, s.put(message("T", 0, i, 100)).PhysicalOffset)
			}
			for i := range c.more {
				s.add(message("T", 0, had+i, 100))
			}
			other := s.add(message("U", 0, 0, 100)).PhysicalOffset
			s.add(message("U", 0, 1, 100))
			s.flush()
			if c.there {
				s.dispatch()
			}
			s.kill()
			s.flip(other + 100)
			for _, start := range at[had-c.damaged:] {
				s.flip(start + 100)
			}
			for i := had - c.lies; i < had; i++ {
				s.pointTo("T", int64(i), other)
			}
			want := ""
			for i := range had {
				switch {
				case i < had-c.damaged:
					want += line(i, i+1) + " "
				case c.lies < had: // else nothing is left of the queue, and it begins anew
					want += fmt.Sprintf("%d! ", i)
				}
			}
			want += line(had, had+c.more)
			for range 2 {
				s = open(t, s.fs)
				if got := s.read("T", 0); got != want {
					t.Errorf("read %s, want %s\n%v", got, want, s.report.Findings)
				}
				q := s.queues.Queue("T", 0)
				units := make([]consumequeue.Unit, q.MaxOffset()-q.MinOffset())
				if _, err := q.Read(q.MinOffset(), units); err != nil || !slices.IsSortedFunc(units, inLog) {
					t.Errorf("units are not in the order of the log: %v %v", units, err)
				}
				s.kill()
			}
		})
	}
}

func inLog(a, b consumequeue.Unit) int { return cmp.Compare(a.PhysicalOffset, b.PhysicalOffset) }
