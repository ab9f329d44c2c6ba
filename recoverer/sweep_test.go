package recoverer_test

import (
	"context"
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
	found := verify(t, s, options...)
	for _, f := range found {
		t.Errorf("verify: %s", f)
	}
}

// verify runs Verify on the files of an open store.
func verify(t *testing.T, s *store, options ...option) (found []recoverer.Finding) {
	t.Helper()
	v, err := openFiles(t, s.fs, true, options...)
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
	seeds := uint64(max(40/stride(2), 2))
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
	return n * slower
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
				call, _ := script.Failed()
				t.Fatalf("%v at call %d: %s", fault, k, call)
			}
		}
	}
}
