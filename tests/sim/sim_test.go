package sim_test

import (
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/tests/ledger"
	"github.com/actorstore/actorstore/tests/sim"
)

var (
	flagSeeds  = flag.Int("sim.seeds", 2000, "how many seeds")
	flagSeed   = flag.Uint64("sim.seed", 0, "first seed; 0 = 1, or behind the last one that the ledger has. Without -sim.seeds only this one")
	flagFor    = flag.Duration("sim.for", 0, "run for this time instead of a number of seeds")
	flagLedger = flag.String("sim.ledger", "", "append a row to this file")
	flagSteps  = flag.Int("sim.steps", 0, "only so many steps of each seed; 0 = all")
	flagOnly   = flag.String("sim.only", "", "only these steps, as 3,7,20-25")
	flagTrace  = flag.Bool("sim.trace", false, "print the whole trace of the first seed")
)

// rig is the name in the ledger.
const rig = "sim"

// mostViolations ends a run.
const mostViolations = 4

// shrinkTries is how often a seed that violates is run to make it small.
const shrinkTries = 300

type campaign struct {
	t          *testing.T
	o          sim.Options
	first      uint64
	want       int64
	began      time.Time
	seed       atomic.Uint64
	cases      atomic.Int64
	violations atomic.Int64
	mu         sync.Mutex
	sum        sim.Tally
}

// TestSim runs the seeds.
func TestSim(t *testing.T) {
	only, err := sim.ParseSteps(*flagOnly)
	if err != nil {
		t.Fatal(err)
	}
	c := &campaign{t: t, o: sim.Options{Steps: *flagSteps, Only: only, Trace: *flagTrace}, first: max(*flagSeed, 1), want: wanted(), began: time.Now()}
	if *flagSeed == 0 && *flagLedger != "" {
		last, err := ledger.LastSeed(*flagLedger, rig)
		if err != nil {
			t.Fatal(err)
		}
		c.first = last + 1
	}
	c.seed.Store(c.first)
	var wg sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wg.Go(c.work)
	}
	wg.Wait()
	c.end()
}

// wanted is how many seeds are to be run: one that is named, unless their number
// is named too; a tenth of them where they take long.
func wanted() int64 {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "sim.seeds" })
	switch {
	case given:
	case *flagSeed > 0:
		return 1
	case testing.Short() || raceEnabled:
		return int64(*flagSeeds / 10)
	}
	return int64(*flagSeeds)
}

// work runs one seed after the other.
func (c *campaign) work() {
	for c.violations.Load() < mostViolations {
		n := c.seed.Add(1) - 1
		if *flagFor > 0 && time.Since(c.began) > *flagFor || *flagFor == 0 && int64(n-c.first) >= c.want {
			c.seed.Add(^uint64(0))
			return
		}
		r := sim.Run(n, c.o)
		c.cases.Add(1)
		c.mu.Lock()
		c.sum.Add(r.Tally)
		c.mu.Unlock()
		if r.What != "" {
			c.violations.Add(1)
			c.report(r)
		} else if *flagTrace {
			c.t.Logf("seed %d: %s\n%s", n, r.Setup, r.Trace)
		}
	}
}

// report tells of a violation, and of a shorter way to it.
func (c *campaign) report(r sim.Result) {
	small := r
	if c.o.Only == nil {
		small = sim.Shrink(r.Seed, c.o, r, shrinkTries)
	}
	s := fmt.Sprintf("seed %d: %s, step %d\n%s\n%sreplay: go test ./tests/sim -count=1 -run '^TestSim$' -sim.seed %d", r.Seed, r.Setup, r.Step, r.What, r.Trace, r.Seed)
	if small.Only != nil {
		s += fmt.Sprintf("\nshorter: the same with -sim.trace -sim.only %s\n%s\n%s", sim.FormatSteps(small.Only), small.What, small.Trace)
	}
	c.t.Error(s)
}

// end writes the row.
func (c *campaign) end() {
	last := c.seed.Load() - 1
	took := time.Since(c.began)
	c.t.Logf("%s: %d seeds, %d to %d, %d violations, %.0f a second: %+v", rig, c.cases.Load(), c.first, last, c.violations.Load(),
		float64(c.cases.Load())/took.Seconds(), c.sum)
	if *flagLedger == "" || c.cases.Load() == 0 {
		return
	}
	row := ledger.Row{Rig: rig, First: c.first, Last: last, Cases: c.cases.Load(), Violations: c.violations.Load()}
	if err := ledger.Append(*flagLedger, row); err != nil {
		c.t.Fatal(err)
	}
}
