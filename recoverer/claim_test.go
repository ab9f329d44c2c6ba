package recoverer_test

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/recoverer"
)

// TestNoSummaryClaimsAnIndexThatIsLeftToTheCaller: a summary that is written on
// the way says of the index no more than it has, also if it is off.
func TestNoSummaryClaimsAnIndexThatIsLeftToTheCaller(t *testing.T) {
	defer recoverer.ShortSteps(8, segmentSize, 2*segmentSize)()
	for name, c := range map[string]struct {
		option option
		want   int64
	}{
		"left to the caller": {func(_ *store, in *recoverer.Input) { in.DeferIndex = 1 }, 0},
		"off":                {withoutIndex, -1},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, newFS())
			for i := range 200 {
				s.put(message("T", 0, i, 300))
			}
			s.close()
			remove(t, s.fs, s.layout.Index())
			q, err := checkpoint.ReadQueues(s.fs, s.layout)
			if err != nil {
				t.Fatal(err)
			}
			end := q.Dispatched
			q.Dispatched++ // it claims more than the log has, so all is replayed
			if err := checkpoint.WriteQueues(s.fs, s.layout, q); err != nil {
				t.Fatal(err)
			}
			seen := 0
			s = open(t, s.fs, func(s *store, in *recoverer.Input) {
				c.option(s, in)
				in.Progress = func(recoverer.Progress) {
					switch q, err := checkpoint.ReadQueues(s.fs, s.layout); {
					case err != nil:
						t.Error(err)
					case q.Dispatched < end:
						if seen++; q.IndexApplied != c.want {
							t.Errorf("at offset %d the summary says that the index has all below %d", q.Dispatched, q.IndexApplied)
						}
					}
				}
			})
			if seen == 0 {
				t.Error("there was no summary on the way")
			}
			s.kill()
		})
	}
}
