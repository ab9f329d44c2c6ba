package fault_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/fault"
)

var (
	flagCases = flag.Int("fault.cases", 250, "cases of the sweep, 0 = all")
	flagSeed  = flag.Uint64("fault.seed", 1, "which cases and which crash images")
	flagCase  = flag.String("fault.case", "", "one case of the sweep")
)

// collect drops the requests that stores keep for reuse: they belong to the
// bubble of their first use, and may not be used in the next one.
func collect() {
	runtime.GC()
	runtime.GC()
}

// perBubble is how many cases share a bubble: to empty the pools between bubbles
// takes longer than most cases.
const perBubble = 20

// carryOut runs cases one after the other, some in each bubble of virtual time.
func carryOut(t *testing.T, cases []fault.Case, logf func(string, ...any), done func(c fault.Case, calls int, failed mappedtest.Call, faults []error)) {
	for some := range slices.Chunk(cases, perBubble) {
		collect()
		synctest.Test(t, func(t *testing.T) {
			alone := len(inBubble())
			for _, c := range some {
				fmt.Fprintln(os.Stderr, "case", c)
				faults, calls, failed := fault.Run(c, logf)
				time.Sleep(time.Minute) // the actor system's last timers
				if all := inBubble(); len(all) > alone {
					faults = append(faults, fmt.Errorf("goroutines are left:\n%s", strings.Join(all, "\n\n")))
				}
				done(c, calls, failed, faults)
			}
		})
	}
	collect()
}

// inBubble are the stacks of the goroutines of the bubble.
func inBubble() (stacks []string) {
	b := make([]byte, 1<<20)
	for s := range strings.SplitSeq(string(b[:runtime.Stack(b, true)]), "\n\n") {
		if head, _, _ := strings.Cut(s, "\n"); strings.Contains(head, "synctest bubble") {
			stacks = append(stacks, s)
		}
	}
	return stacks
}

// TestSweep fails every call of every workload in turn, with each errno, once,
// there and for ever: all of it with -fault.cases=0, by default a part of it that
// -fault.seed chooses. A store that dies takes only a child process with it.
func TestSweep(t *testing.T) {
	if *flagCase != "" {
		c, err := fault.ParseCase(*flagCase)
		if err != nil {
			t.Fatal(err)
		}
		carryOut(t, []fault.Case{c}, t.Logf, func(_ fault.Case, calls int, failed mappedtest.Call, faults []error) {
			t.Logf("%d calls, failed: %s", calls, failed)
			for _, f := range faults {
				t.Error(f)
			}
		})
		return
	}
	t.Parallel()
	if _, child := isolated(t); !child {
		return
	}
	began := time.Now()
	cases, bad := 0, 0
	carryOut(t, sweep(t), nil, func(c fault.Case, _ int, failed mappedtest.Call, faults []error) {
		cases++
		if len(faults) > 0 {
			bad++
			t.Errorf("%s\nfailed: %s\n%v", c.Command(), failed, errors.Join(faults...))
		}
	})
	note(t, "fault-sweep", cases, bad)
	t.Logf("%d cases, %d violations, %v", cases, bad, time.Since(began).Round(time.Millisecond))
}

// sweep lists the cases of this run. Each workload is run without a fault first,
// to learn how many calls it makes.
func sweep(t *testing.T) []fault.Case {
	var whole, all []fault.Case
	for _, w := range fault.Workloads() {
		whole = append(whole, fault.Case{Workload: w})
	}
	carryOut(t, whole, nil, func(c fault.Case, calls int, _ mappedtest.Call, faults []error) {
		for _, f := range faults {
			t.Errorf("%s without a fault: %v", c.Workload.Name, f)
		}
		for c.K = 1; c.K <= calls; c.K++ {
			for c.Errno = range fault.Errnos {
				for _, c.Often = range []fault.Often{fault.Once, fault.There, fault.Forever} {
					all = append(all, c)
				}
			}
		}
	})
	rng := rand.New(rand.NewPCG(*flagSeed, 0))
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	t.Logf("%d cases in all", len(all))
	if n := *flagCases; n > 0 {
		all = all[:min(n, len(all))]
	}
	for i := range all {
		all[i].Ending = fault.Ending(rng.IntN(4))
		all[i].Seed = rng.Uint64() >> 32
	}
	return all
}
