package sim

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// world is a disk, a clock, what was sent, and the process that has the store
// open at the moment, if any.
type world struct {
	seed  uint64
	setup setup
	plant Plant
	trace *trace

	step int
	rng  *rand.Rand // of the step

	fs     *mappedtest.FS
	script *mappedtest.Script
	faults faults
	cut    plannedCut

	mono   time.Duration // since the beginning
	jump   time.Duration // of the wall clock
	set    bool          // it was set ever
	jumped bool          // it was set before the store was opened this time

	model   *oracle.Model
	sent    map[int64]*record.Message // by serial number
	shadow  shadow
	written map[int64]time.Duration // when the last record of a segment was
	blocked map[string]bool         // topics whose deletion has failed: left alone until the next opening

	l       *life // nil: no process has the store open
	owed    *owed // what the next opening must show; nil once that was seen
	was     watermarks
	looking bool // the model looks: no time for a cut
	dead    bool // the machine is off: the rest of the step counts for nothing
	unclear bool // a put was answered that nobody knows what became of it
	over    bool // nothing more can be said about this seed
	done    Tally
}

// Tally counts what has happened, for a look at what the seeds reach.
type Tally struct {
	Puts, Acked, Checks, Cuts, Faults, ReadOnly, Expired, Deleted, Restarts, Reads, Doubtful int
}

// Add adds what another run has reached.
func (t *Tally) Add(o Tally) {
	t.Puts += o.Puts
	t.Acked += o.Acked
	t.Checks += o.Checks
	t.Cuts += o.Cuts
	t.Faults += o.Faults
	t.Expired += o.Expired
	t.Deleted += o.Deleted
	t.Restarts += o.Restarts
	t.Reads += o.Reads
	t.Doubtful += o.Doubtful
	t.ReadOnly += o.ReadOnly
}

// owed is what was promised before a stop.
type owed struct {
	at      oracle.Snapshot
	cut     oracle.Cut
	flushed int64 // end of what was durable
}

// violation ends a run.
type violation struct{ what string }

func (w *world) fail(format string, args ...any) { panic(violation{fmt.Sprintf(format, args...)}) }

// epoch is the wall clock of the beginning.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// now is the wall clock.
func (w *world) now() time.Time { return epoch.Add(w.mono + w.jump) }

// steady is a clock that nobody sets.
func (w *world) steady() time.Time { return epoch.Add(w.mono) }

func newWorld(seed uint64, plant Plant, t *trace) *world {
	w := &world{seed: seed, setup: newSetup(seed), plant: plant, trace: t, model: oracle.New(),
		sent: map[int64]*record.Message{}, shadow: shadow{}, written: map[int64]time.Duration{}, blocked: map[string]bool{}}
	w.owed = &owed{at: w.model.Now(), cut: oracle.Closed}
	w.insert(mappedtest.NewFS())
	return w
}

// insert puts another disk in.
func (w *world) insert(fs *mappedtest.FS) {
	w.fs, w.script = fs, mappedtest.NewScript(fs)
	fs.SetClock(w.now)
	w.faults = faults{}
	w.cut = plannedCut{}
	w.arm()
}

var background = context.Background()
