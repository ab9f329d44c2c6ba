package recoverer_test

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// TestIndexBesideQueues: making the index right beside the queues, at once or one
// after the other, comes to the same as doing both in one pass.
func TestIndexBesideQueues(t *testing.T) {
	first := s0.CommitLog() + "/" + mapped.Name(0)
	for name, change := range map[string]func(t *testing.T, fsys *mappedtest.FS){
		"as it was left": func(*testing.T, *mappedtest.FS) {},
		"no index":       func(t *testing.T, fsys *mappedtest.FS) { remove(t, fsys, s0.Index()) },
		"index damaged": func(t *testing.T, fsys *mappedtest.FS) {
			files, err := fsys.ReadDir(s0.Index())
			if err != nil || len(files) == 0 {
				t.Fatalf("an index was expected: %v", err)
			}
			overwrite(t, fsys, s0.Index()+"/"+files[0].Name(), 36, []byte{0xff, 0xff})
		},
		"no queues":            func(t *testing.T, fsys *mappedtest.FS) { remove(t, fsys, s0.ConsumeQueue()) },
		"neither, and no mark": func(t *testing.T, fsys *mappedtest.FS) { remove(t, fsys, s0.Index()); remove(t, fsys, s0.Ours()) },
		"no index, damage": func(t *testing.T, fsys *mappedtest.FS) {
			remove(t, fsys, s0.Index())
			overwrite(t, fsys, first, 700, []byte("noise"))
		},
		"damage": func(t *testing.T, fsys *mappedtest.FS) { overwrite(t, fsys, first, 700, []byte("noise")) },
		"damage, nothing derived": func(t *testing.T, fsys *mappedtest.FS) {
			overwrite(t, fsys, first, 300, []byte("noise"))
			remove(t, fsys, s0.Index())
			remove(t, fsys, s0.ConsumeQueue())
		},
	} {
		for _, w := range workloads {
			t.Run(w.name+", "+name, func(t *testing.T) {
				fsys := newFS()
				w.make(t, fsys)
				change(t, fsys)
				want := recovered(t, fsys.Kill())
				undo := recoverer.IndexApart()
				for kind, options := range map[string][]option{"after each other": nil, "at once": {parallel}, "index first": {indexFirst}} {
					if got := recovered(t, fsys.Kill(), options...); got != want {
						t.Errorf("%s:\n%s\nin one pass:\n%s", kind, got, want)
					}
				}
				undo()
			})
		}
	}
}

// recovered says what a recovery has found and made.
func recovered(t *testing.T, fsys *mappedtest.FS, options ...option) string {
	t.Helper()
	s := open(t, fsys, options...)
	defer s.release()
	var b strings.Builder
	r := &s.report
	fmt.Fprintf(&b, "[%d, %d) last %d, index from %d, replayed %d, units +%d ~%d -%d, holes %d\n", r.Min, r.End, r.Last, r.IndexFrom,
		r.Replayed, r.UnitsAppended, r.UnitsRewritten, r.UnitsCut, r.Holes)
	for _, d := range r.Damage {
		fmt.Fprintf(&b, "damage [%d, %d)\n", d.Offset, d.Next)
	}
	var found []string
	for _, f := range r.Findings {
		found = append(found, f.String())
	}
	slices.Sort(found)
	fmt.Fprintln(&b, strings.Join(found, "\n"))
	fmt.Fprintln(&b, s.queuesOf(), s.read("T", 0), s.read("U", 1))
	for i := range 70 {
		fmt.Fprint(&b, s.hits("T", fmt.Sprint("k", i)), s.hits("U", fmt.Sprint("k", i)))
	}
	for _, f := range s.index.Files() {
		fmt.Fprintf(&b, "\n%s %x", f.Name, contents(t, fsys, s0.Index()+"/"+f.Name))
	}
	return b.String()
}

// TestFailuresBesideQueues: with log, queues and index made right at once, and the
// index first or the log, a recovery may be cut at any call, and any call may
// fail, as otherwise. A log that cannot be secured takes back what the queues
// were told meanwhile.
func TestFailuresBesideQueues(t *testing.T) {
	defer recoverer.IndexApart()()
	defer func() { inTurn = nil }()
	for name, order := range map[string]func(int, func(int)){"log first": nil, "index first": backwards} {
		inTurn = order
		t.Run(name+", cut", TestCrashDuringRecovery)
		t.Run(name+", one failure", TestOneFailure)
		t.Run(name+", page cache", TestPageCacheIsNotBelieved)
		t.Run(name+", rewrite fails", TestRewriteFails)
		t.Run(name+", lost write", TestLostWrite)
		t.Run(name+", images", TestCrashImages)
		t.Run(name+", damage", TestInnerDamage)
		t.Run(name+", units", TestQueueDamage)
	}
	inTurn = nil // a summary on the way needs a log that is secured
	t.Run("again and again", TestInterruptedRecovery)
}

// TestNoSummaryOfALogThatIsNotSecured: queues that are ahead of a log that is
// being secured are not written down as right; it may turn out shorter.
func TestNoSummaryOfALogThatIsNotSecured(t *testing.T) {
	defer recoverer.IndexApart()()
	defer recoverer.ShortSteps(8, segmentSize, 2*segmentSize)()
	s := open(t, newFS())
	for i := range 10 {
		s.put(message("T", 0, i, 100))
	}
	s.summary()
	s.mark()
	proven := s.log.Flushed()
	for i := range 200 {
		s.add(message("T", 0, 10+i, 300))
	}
	s.kill()
	base := s.fs.(*mappedtest.FS)
	for _, order := range []func(int, func(int)){nil, backwards} {
		fsys := base.Kill()
		script := mappedtest.NewScript(fsys, mappedtest.Rule{Op: mappedtest.OpWrite, Path: mapped.Name(0), Forever: true, Err: syscall.EIO})
		s = open(t, script, func(_ *store, in *recoverer.Input) { in.Parallel = order })
		if s.report.ReadOnly == nil || s.report.End != proven {
			t.Fatalf("end %d, want %d: %v", s.report.End, proven, s.report.ReadOnly)
		}
		q, err := checkpoint.ReadQueues(fsys, s0)
		if err != nil || q == nil || q.Dispatched > proven {
			t.Errorf("the summary claims %+v of a log that is proven up to %d; %v", q, proven, err)
		}
		if got := s.read("T", 0); got != line(0, 10) {
			t.Errorf("read %s", got)
		}
		s.kill()
		check(t, fsys.Kill(), map[string]int{"T-0": 210})
	}
}
