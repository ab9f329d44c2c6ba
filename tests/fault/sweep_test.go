package fault_test

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

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

// carryOut runs a case in a bubble of virtual time.
func carryOut(t *testing.T, c fault.Case, logf func(string, ...any)) (faults []error, calls int, failed string) {
	collect()
	defer collect()
	synctest.Test(t, func(t *testing.T) {
		faults, calls, failed = fault.Run(c, logf)
		time.Sleep(time.Minute) // the actor system's last timers
	})
	return faults, calls, failed
}

// TestSweep fails every call of every workload in turn, with each errno, once
// and for ever: all of it with -fault.cases=0, by default a part of it that
// -fault.seed chooses. A store that dies takes only a child process with it.
func TestSweep(t *testing.T) {
	if *flagCase != "" {
		c, err := fault.ParseCase(*flagCase)
		if err != nil {
			t.Fatal(err)
		}
		faults, calls, failed := carryOut(t, c, t.Logf)
		t.Logf("%d calls, failed: %s", calls, failed)
		for _, f := range faults {
			t.Error(f)
		}
		return
	}
	t.Parallel()
	if _, child := isolated(t); !child {
		return
	}
	began := time.Now()
	cases, bad := 0, 0
	for _, c := range sweep(t) {
		fmt.Fprintln(os.Stderr, "case", c)
		faults, _, failed := carryOut(t, c, nil)
		cases++
		if len(faults) > 0 {
			bad++
			t.Errorf("%s\nfailed: %s\n%v", c.Command(), failed, errors.Join(faults...))
		}
	}
	note(t, "fault-sweep", cases, bad)
	t.Logf("%d cases, %d violations, %v", cases, bad, time.Since(began).Round(time.Millisecond))
}

// sweep lists the cases of this run. Each workload is run without a fault first,
// to learn how many calls it makes.
func sweep(t *testing.T) []fault.Case {
	var all []fault.Case
	for _, w := range fault.Workloads() {
		faults, calls, _ := carryOut(t, fault.Case{Workload: w}, nil)
		for _, f := range faults {
			t.Errorf("%s without a fault: %v", w.Name, f)
		}
		for k := 1; k <= calls; k++ {
			for e := range fault.Errnos {
				for _, forever := range []bool{false, true} {
					all = append(all, fault.Case{Workload: w, K: k, Errno: e, Forever: forever})
				}
			}
		}
	}
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
