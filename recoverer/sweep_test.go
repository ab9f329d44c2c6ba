package recoverer_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// workload is a store that was used and then left in some state; acked is how
// many messages of each queue were flushed.
type workload struct {
	name string
	make func(t *testing.T, fsys mapped.FS) (acked map[string]int)
}

// sizes makes bodies of many lengths.
func sizes(i int) int { return 20 + i*37%300 }

var workloads = []workload{
	{"no mark yet", func(t *testing.T, fsys mapped.FS) map[string]int {
		s := open(t, fsys)
		return s.write(0, 30, -1)
	}},
	{"mark in the middle, unflushed end", func(t *testing.T, fsys mapped.FS) map[string]int {
		s := open(t, fsys)
		return s.write(0, 60, 40)
	}},
	{"dispatch far behind", func(t *testing.T, fsys mapped.FS) map[string]int {
		s := open(t, fsys)
		for i := range 10 {
			s.put(message("T", 0, i, sizes(i)))
		}
		s.summary()
		s.mark()
		for i := range 40 {
			s.add(message("T", 0, 10+i, sizes(i)))
			s.add(message("U", 1, i, sizes(i)))
		}
		s.flush()
		s.mark()
		return map[string]int{"T-0": 50, "U-1": 40}
	}},
	{"reopened twice", func(t *testing.T, fsys mapped.FS) map[string]int {
		s := open(t, fsys)
		s.write(0, 25, 10)
		s.flush()
		s.kill()
		s = open(t, fsys)
		s.write(25, 45, -1)
		s.close()
		s = open(t, fsys)
		return s.write(45, 60, -1)
	}},
}

// write puts messages from..to-1 to T-0 and half as many to U-1, and leaves the
// last few of them unflushed. At message mark it writes summary and mark.
func (s *store) write(from, to, mark int) map[string]int {
	s.t.Helper()
	acked := map[string]int{}
	for i := from; i < to; i++ {
		s.add(message("T", 0, i, sizes(i)))
		if i%2 == 0 {
			s.add(message("U", 1, i/2, sizes(i+5)))
		}
		if i < to-3 {
			s.flush()
			s.dispatch()
			acked["T-0"], acked["U-1"] = i+1, i/2+1
		}
		if i == mark {
			s.summary()
			s.mark()
		}
	}
	return acked
}

// check wants every acknowledged message, in order, and no disagreement between
// log, queues and index.
func check(t *testing.T, fsys mapped.FS, acked map[string]int, options ...option) {
	t.Helper()
	s, err := tryOpen(t, fsys, options...)
	if err != nil {
		t.Errorf("open: %v", err)
		return
	}
	defer s.release()
	for key, n := range acked {
		topic, queue := key[:1], int32(key[2]-'0')
		got := s.read(topic, queue)
		all := strings.Fields(got)
		if len(all) < n {
			t.Errorf("%s: %d messages, %d were acknowledged: %s\n%v", key, len(all), n, got, s.report.Findings)
			continue
		}
		if want := line(0, len(all)); got != want {
			t.Errorf("%s: %s\n%v", key, got, s.report.Findings)
		}
		for i := range all {
			if hits := s.hits(topic, fmt.Sprintf("k%d", i)); len(hits) != 1 {
				t.Errorf("%s: k%d is found at %v", key, i, hits)
				break
			}
		}
	}
	checkZeros(t, s)
	if s.report.ReadOnly != nil {
		t.Errorf("read-only: %v", s.report.ReadOnly)
	}
	found := verify(t, s)
	for _, f := range found {
		t.Errorf("verify: %s", f)
	}
}

// verify runs Verify on the files of an open store.
func verify(t *testing.T, s *store) (found []recoverer.Finding) {
	t.Helper()
	v, err := openFiles(t, s.fs, true)
	if err == nil {
		v.input.MultiDispatch = s.input.MultiDispatch
		err = recoverer.Verify(context.Background(), v.input, func(f recoverer.Finding) { found = append(found, f) })
	}
	v.release()
	if err != nil {
		t.Errorf("verify: %v", err)
	}
	return found
}

// TestCrashImages: whatever a power cut leaves of the unsynced pages.
func TestCrashImages(t *testing.T) {
	seeds := uint64(40 / stride(2))
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			fsys := newFS()
			acked := w.make(t, fsys)
			for _, mode := range mappedtest.Modes() {
				n := seeds
				if mode != mappedtest.Random && mode != mappedtest.TornPages {
					n = 1
				}
				for seed := range n {
					check(t, fsys.Crash(seed, mode), acked)
					if t.Failed() {
						t.Fatalf("mode %s, seed %d", mode, seed)
					}
				}
			}
			check(t, fsys.Kill(), acked)
		})
	}
}

// full runs every step of the sweeps; without it every few. seed repeats one.
var (
	full = flag.Bool("full", false, "stop recovery at every single call, many seeds")
	seed = flag.Int("seed", -1, "the one seed to run")
)

// stride is the step of a sweep.
func stride(n int) int {
	if *full {
		return 1
	}
	return n
}

// TestCrashDuringRecovery stops recovery in front of every call of the file
// system, takes a crash image there, and recovers that one.
func TestCrashDuringRecovery(t *testing.T) {
	for _, w := range workloads {
		t.Run(w.name, func(t *testing.T) {
			fsys := newFS()
			acked := w.make(t, fsys)
			base := fsys.Crash(7, mappedtest.Random)
			count := mappedtest.NewScript(base.Kill())
			s, err := tryOpen(t, count)
			if err != nil {
				t.Fatal(err)
			}
			s.release()
			for k := 1; k <= count.Calls(); k += stride(7) {
				image := base.Kill()
				script := mappedtest.NewScript(image, mappedtest.Rule{At: k, Forever: true, Err: syscall.EIO})
				if s, err := tryOpen(t, script); err == nil || s != nil {
					s.release()
				}
				check(t, image.Crash(uint64(k), mappedtest.Random), acked)
				check(t, image.Kill(), acked)
				if t.Failed() {
					t.Fatalf("stopped at call %d of %d", k, count.Calls())
				}
			}
		})
	}
}

// TestOneFailure: a single failing call makes recovery fail or the log
// read-only, or costs nothing; the next start is right.
func TestOneFailure(t *testing.T) {
	w := workloads[1]
	fsys := newFS()
	acked := w.make(t, fsys)
	base := fsys.Kill()
	count := mappedtest.NewScript(base.Kill())
	s, err := tryOpen(t, count)
	if err != nil {
		t.Fatal(err)
	}
	s.release()
	for _, fault := range []error{syscall.EIO, syscall.ENOSPC} {
		for k := 1; k <= count.Calls(); k += stride(3) {
			image := base.Kill()
			script := mappedtest.NewScript(image)
			script.FailAt(k, fault)
			s, err := tryOpen(t, script)
			if err == nil && s.report.ReadOnly == nil {
				if got := s.read("T", 0); !strings.HasPrefix(got, line(0, acked["T-0"])) {
					t.Errorf("%v at call %d: read %s", fault, k, got)
				}
			}
			if s != nil {
				s.release()
			}
			check(t, image.Kill(), acked)
			if t.Failed() {
				t.Fatalf("%v at call %d: %s", fault, k, script.Trace()[k-1])
			}
		}
	}
}

// TestPageCacheIsNotBelieved: after a failed sync the records are in the cache
// and not on disk (A3). Recovery writes them again before it counts on them.
func TestPageCacheIsNotBelieved(t *testing.T) {
	for _, marked := range []bool{true, false} {
		fsys := newFS()
		script := mappedtest.NewScript(fsys)
		s := open(t, script)
		for i := range 10 {
			s.put(message("T", 0, i, 100))
		}
		if marked {
			s.summary()
			s.mark()
		}
		for i := range 5 {
			s.add(message("T", 0, 10+i, 100))
		}
		script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: mapped.Name(0), Err: syscall.EIO})
		if err := s.sync.Flush(); err == nil {
			t.Fatal("the flush did not fail")
		}
		script.Clear()
		s.kill()
		s = open(t, fsys)
		n := strings.Count(s.read("T", 0), ":")
		if n != 15 {
			t.Errorf("marked %v: %d messages", marked, n)
		}
		s.kill()
		after := fsys.DropCaches()
		check(t, after, map[string]int{"T-0": n})

		// And if they cannot be written again, the log ends where it is proven.
		failing := mappedtest.NewScript(fsys.Kill())
		s = open(t, failing)
		s.kill()
	}
}

// TestRewriteFails: the log is read-only and ends at what is proven.
func TestRewriteFails(t *testing.T) {
	s := open(t, newFS())
	for i := range 10 {
		s.put(message("T", 0, i, 100))
	}
	s.summary()
	s.mark()
	proven := s.log.Flushed()
	for i := range 5 {
		s.put(message("T", 0, 10+i, 100))
	}
	s.kill()
	base := s.fs.(*mappedtest.FS)
	for _, op := range []mappedtest.Op{mappedtest.OpWrite, mappedtest.OpDatasync} {
		image := base.Kill()
		script := mappedtest.NewScript(image, mappedtest.Rule{Op: op, Path: mapped.Name(0), Err: syscall.EIO})
		s = open(t, script)
		if s.report.ReadOnly == nil || s.log.Failed() == nil {
			t.Fatalf("%s: the log takes puts", op)
		}
		if s.report.End != proven {
			t.Errorf("%s: end %d, want %d", op, s.report.End, proven)
		}
		if got := s.read("T", 0); !strings.HasPrefix(got, line(0, 10)) {
			t.Errorf("%s: read %s", op, got)
		}
		s.kill()
		check(t, image.Kill(), map[string]int{"T-0": 15})
	}
}

// TestLostWrite: in a log of ours zeros in whole sectors are a write that a
// power cut lost; under SYNC_FLUSH a queue unit behind them proves otherwise.
func TestLostWrite(t *testing.T) {
	build := func(t *testing.T) (*store, int64) {
		s := open(t, newFS(), syncFlush)
		var hole int64
		for i := range 5 {
			s.put(message("T", 0, i, 100))
		}
		s.summary()
		s.mark()
		for i := range 15 {
			a := s.put(message("T", 0, 5+i, 150))
			if i == 5 {
				hole = (a.PhysicalOffset + 511) / 512 * 512
			}
		}
		s.kill()
		overwrite(t, s.fs, s.segment(hole), hole%segmentSize, make([]byte, 512))
		return s, hole
	}
	t.Run("async", func(t *testing.T) {
		s, hole := build(t)
		s = open(t, s.fs)
		if s.report.End > hole || s.report.ReadOnly != nil || len(s.report.Aside) == 0 {
			t.Errorf("end %d, hole at %d, aside %v", s.report.End, hole, s.report.Aside)
		}
		got := s.read("T", 0)
		if got != line(0, strings.Count(got, ":")) {
			t.Errorf("read %s", got)
		}
	})
	t.Run("sync and dispatched", func(t *testing.T) {
		s, hole := build(t)
		s = open(t, s.fs, syncFlush)
		if s.report.End <= hole || len(s.report.Damage) != 1 {
			t.Errorf("end %d, hole at %d, damage %v", s.report.End, hole, s.report.Damage)
		}
		if got := s.read("T", 0); !strings.HasSuffix(got, line(18, 20)) || strings.Count(got, "!") > 5 {
			t.Errorf("read %s", got)
		}
	})
	t.Run("no sector of zeros", func(t *testing.T) {
		s, hole := build(t)
		overwrite(t, s.fs, s.segment(hole), hole%segmentSize, []byte(strings.Repeat("damaged!", 64)))
		s = open(t, s.fs)
		if s.report.End <= hole || len(s.report.Damage) != 1 {
			t.Errorf("end %d, hole at %d, damage %v", s.report.End, hole, s.report.Damage)
		}
	})
}

// TestCancel: a context that ends stops recovery and harms nothing.
func TestCancel(t *testing.T) {
	fsys := newFS()
	acked := workloads[2].make(t, fsys)
	s, err := openFiles(t, fsys.Kill(), false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := recoverer.Recover(ctx, s.input); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	s.release()
	check(t, s.fs, acked)
}

// TestProgress: phases come in order and reach their totals.
func TestProgress(t *testing.T) {
	fsys, _ := sixteen(t)
	var seen []recoverer.Progress
	s := open(t, fsys, func(_ *store, in *recoverer.Input) {
		in.Progress = func(p recoverer.Progress) { seen = append(seen, p) }
	})
	last := map[recoverer.Phase]recoverer.Progress{}
	for _, p := range seen {
		if p.Done < last[p.Phase].Done || p.Done > p.Total {
			t.Errorf("%+v after %+v", p, last[p.Phase])
		}
		last[p.Phase] = p
	}
	for _, phase := range []recoverer.Phase{recoverer.PhaseScan, recoverer.PhaseReplay} {
		if p := last[phase]; p.Done != p.Total || p.Total != s.report.End {
			t.Errorf("%s ends at %+v of %d", phase, p, s.report.End)
		}
	}
}
