package crash

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/tests/ledger"
)

// Flags of all rigs. Each rig has a number of cases of its own; -for lets it run
// for a time instead.
var (
	flagSeed   = flag.Uint64("seed", 0, "first seed; 0 = 1, or behind the last one that the ledger has")
	flagImage  = flag.Int("image", -1, "only this image, or damage, of the first seed")
	flagFor    = flag.Duration("for", 0, "how long each rig runs; 0 = its number of cases")
	flagLedger = flag.String("ledger", "", "append a row for each rig to this file")
	flagSave   = flag.String("save", "", "keep images that violate in this directory")
	flagImages = flag.Int("images", 1200, "images of power cuts under SYNC_FLUSH to check; others come along")
	flagRecuts = flag.Int("recuts", 800, "cut openings to check")
	flagDamage = flag.Int("damage", 600, "stores to damage")
	flagTails  = flag.Int("tails", 400, "logs with a bad place to judge")
	flagKills  = flag.Int("kills", 12, "processes to kill")
)

// TestMain lets the test binary be a program that puts until it is killed.
func TestMain(m *testing.M) {
	Child()
	flag.Parse()
	os.Exit(m.Run())
}

// mostViolations ends a rig.
const mostViolations = 8

// tally counts what a rig does.
type tally struct {
	t          *testing.T
	other      *tally // counts the cases that come along, in a row of its own
	rig        string
	want       int64
	began      time.Time
	first      uint64
	seed       atomic.Uint64 // the next one
	cases      atomic.Int64
	violations atomic.Int64
}

func newTally(t *testing.T, rig string, want int) *tally {
	if testing.Short() {
		want = max(want/4, 1)
	}
	y := &tally{t: t, rig: rig, want: int64(want), began: time.Now(), first: max(*flagSeed, 1)}
	if *flagSeed == 0 && *flagLedger != "" {
		last, err := ledger.LastSeed(*flagLedger, rig)
		if err != nil {
			t.Fatal(err)
		}
		y.first = last + 1
	}
	y.seed.Store(y.first)
	t.Cleanup(y.end)
	return y
}

// along gives a tally for cases of the same seeds that nobody has asked for.
func (y *tally) along(rig string) *tally {
	y.other = &tally{t: y.t, rig: rig, began: y.began, first: y.first}
	return y.other
}

// bad is how many violations there are in both rows.
func (y *tally) bad() int64 {
	n := y.violations.Load()
	if y.other != nil {
		n += y.other.violations.Load()
	}
	return n
}

// next gives a seed while the rig goes on.
func (y *tally) next() (seed uint64, ok bool) {
	switch {
	case y.bad() >= mostViolations:
		return 0, false
	case *flagImage >= 0 && y.seed.Load() > y.first:
		return 0, false
	case *flagFor > 0 && time.Since(y.began) > *flagFor, *flagFor == 0 && y.cases.Load() >= y.want:
		return 0, false
	}
	return y.seed.Add(1) - 1, true
}

// did notes cases that were judged, or that one has failed.
func (y *tally) did(cases int, err error, seed uint64, n int, what fmt.Stringer, more ...string) {
	y.cases.Add(int64(cases))
	if err == nil {
		return
	}
	y.violations.Add(1)
	replay := fmt.Sprintf("replay: %s ./tests/crash -run '^%s$' -seed %d", ledger.GoTest(), y.t.Name(), seed)
	if n >= 0 {
		replay += fmt.Sprintf(" -image %d", n)
	}
	s := fmt.Sprintf("%s\n%v\n%s", what, err, replay)
	for _, m := range more {
		s += "\n" + m
	}
	y.t.Error(s)
}

// end writes the rows.
func (y *tally) end() {
	last := y.seed.Load() - 1
	y.row(last)
	if y.other != nil {
		y.other.row(last)
	}
}

func (y *tally) row(last uint64) {
	y.t.Logf("%s: %d cases, seeds %d to %d, %d violations, %.0f a second", y.rig, y.cases.Load(), y.first, last,
		y.violations.Load(), float64(y.cases.Load())/time.Since(y.began).Seconds())
	if *flagLedger == "" || y.cases.Load() == 0 && y.violations.Load() == 0 {
		return
	}
	row := ledger.Row{Rig: y.rig, First: y.first, Last: last, Cases: y.cases.Load(), Violations: y.violations.Load()}
	if err := ledger.Append(*flagLedger, row); err != nil {
		y.t.Error(err)
	}
}

// bubble runs f in virtual time and then empties the pools: what a bubble has
// made must not be used outside of it.
func bubble(t *testing.T, f func(t *testing.T)) {
	synctest.Test(t, f)
	runtime.GC()
	runtime.GC()
}

// produced is a run that has come to its end.
func produced(y *tally, seed uint64, most int) *run {
	r := newRun(seed, most)
	var err error
	bubble(y.t, func(*testing.T) { err = r.produce(context.Background()) })
	if errors.Is(err, errDoubtful) {
		return nil // and none of its cases was judged
	}
	if err != nil {
		y.did(1, err, seed, -1, r)
		return nil
	}
	return r
}

func workers() int { return max(1, runtime.GOMAXPROCS(0)) }

// save keeps an image for a look with the command line.
func save(im *image) string {
	if *flagSave == "" {
		return ""
	}
	dir := filepath.Join(*flagSave, fmt.Sprintf("%d-%d", im.run.seed, im.n))
	if err := im.fs.Kill().CopyOut(root, dir); err != nil {
		return "  not saved: " + err.Error()
	}
	return "  saved in " + dir
}
