package recoverer_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// onProgress calls f at the first report of progress.
func onProgress(f func()) option {
	return func(_ *store, in *recoverer.Input) {
		in.Progress = func(recoverer.Progress) {
			if f != nil {
				f()
			}
			f = nil
		}
	}
}

// TestInterruptedRecovery: a recovery that is killed again and again comes to an
// end, because each attempt starts further on (F09).
func TestInterruptedRecovery(t *testing.T) {
	defer recoverer.ShortSteps(8, 2*segmentSize, 32*segmentSize)()
	const segments = 400
	im := newImage(segments)
	for i := range segments {
		im.fill(i, fmt.Sprint("T", i%7), 900)
	}
	for _, clean := range []bool{true, false} {
		fsys := im.store(t)
		if !clean {
			if err := checkpoint.CreateAbort(fsys, s0, 1); err != nil {
				t.Fatal(err)
			}
		}
		// Calls are counted from the first sign of progress on: opening costs
		// the same each time.
		began := 0
		count := mappedtest.NewScript(fsys.Kill())
		s := open(t, count, onProgress(func() { began = count.Calls() }))
		s.kill()
		part := (count.Calls() - began) / 4
		attempts, again, from := 1, 0, int64(-1)
		for ; attempts <= 12; attempts++ {
			script := mappedtest.NewScript(fsys)
			s, err := tryOpen(t, script, onProgress(func() {
				script.Add(mappedtest.Rule{At: part, Forever: true, Err: syscall.EIO})
			}))
			if s != nil {
				s.release()
			}
			if err == nil && s.report.ReadOnly == nil {
				break
			}
			now := s.report.Plan.ReplayFrom
			if m := s.report.Plan.Mark; m != nil {
				now += m.FlushedEnd
			}
			if attempts > 1 && now <= from {
				again++
			}
			t.Logf("clean %v, attempt %d: scan from %d, replay from %d: %v", clean, attempts, s.report.Plan.ScanFrom, s.report.Plan.ReplayFrom, err)
			from = now
			fsys = fsys.Kill()
		}
		// Parts that run at once share the calls, and one may use up those of another.
		if attempts > 10 || again > 1 {
			t.Errorf("clean %v: not done after %d attempts, of which %d started where the one before did", clean, attempts, again)
		}
		s = open(t, fsys.Kill())
		for i := range 7 {
			topic := fmt.Sprint("T", i)
			if got := s.read(topic, 0); got != line(0, int(im.next[topic+"-0"])) {
				t.Errorf("clean %v: %s: %s", clean, topic, got)
			}
		}
		for _, f := range verify(t, s) {
			t.Errorf("clean %v: verify: %s", clean, f)
		}
		s.kill()
	}
}
