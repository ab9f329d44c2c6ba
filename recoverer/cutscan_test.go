package recoverer_test

import (
	"context"
	"testing"

	"github.com/actorstore/actorstore/recoverer"
)

// TestOldRecordsAfterACutScan: old records that RocketMQ's truncation has left follow
// its log without a bad place. An opening that was cut had written a mark on the way;
// the next one took the log for ours, and the old records for new ones.
func TestOldRecordsAfterACutScan(t *testing.T) {
	defer recoverer.ShortSteps(1, 1<<10, 1<<20)()
	for _, cut := range []bool{false, true} {
		s := open(t, newFS())
		i := 0
		for s.log.Appended() < 2*segmentSize {
			s.put(message("T", 0, i, 500))
			i++
		}
		k := i
		for range 3 {
			s.put(message("T", 0, i, 100))
			i++
		}
		end := s.log.Appended()
		// Old ones: two offsets again, of an older time.
		*s.append.Offsets().Next("T", 0) = int64(k + 1)
		s.now = startTime + 5
		for n := range 2 {
			s.now = startTime + int64(n)
			s.add(message("T", 0, 25-n, 100))
		}
		s.kill()
		remove(t, s.fs, s.layout.Ours())
		if cut {
			x, err := openFiles(t, s.fs, false)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			n := 0
			x.input.Progress = func(p recoverer.Progress) {
				if p.Phase == recoverer.PhaseScan {
					if n++; n == 2 {
						cancel()
					}
				}
			}
			if _, err = recoverer.Recover(ctx, x.input); err == nil {
				t.Fatal("the first opening was not cut")
			}
			x.release()
		}
		s = open(t, s.fs)
		if marked := s.report.Plan.Mark != nil; marked != cut {
			t.Errorf("cut %v: there was a mark: %v", cut, marked)
		}
		if got := s.read("T", 0); got != line(0, i) || s.report.End != end {
			t.Errorf("cut %v: the log ends at %d, want %d; T reads %q, want %q", cut, s.report.End, end, got, line(0, i))
		}
		s.kill()
	}
}
