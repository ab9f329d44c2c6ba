package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// generation separates the serial numbers of the lives of a store.
const generation = 1 << 24

// image is what a cut left at one moment of a run.
type image struct {
	run   *run
	n     int // of the run
	fs    *mappedtest.FS
	at    oracle.Snapshot
	cut   oracle.Cut
	mode  mappedtest.Mode // of a power cut
	seed  uint64          // of what is done with it
	trace string          // the last calls before it
	notes notes           // what the store told when it was opened
}

func (im *image) String() string {
	if im.cut == oracle.PowerCut {
		return fmt.Sprintf("%s, image %d: power cut, %s", im.run, im.n, im.mode)
	}
	return fmt.Sprintf("%s, image %d: %s", im.run, im.n, im.cut)
}

// run is a workload in one store from a seed, and the images taken of it.
type run struct {
	seed   uint64
	plan   *workload.Plan
	o      actors.Options // without FS
	lives  int            // how often the store was stopped before
	model  *oracle.Model
	ended  time.Time
	images []*image
	final  *mappedtest.FS // at the end, closed

	mu   sync.Mutex
	rng  *rand.Rand // of the images
	skip int        // calls until the next image
	most int
}

func (r *run) String() string {
	return fmt.Sprintf("seed %d: %s, %s, %d earlier lives", r.seed, r.plan.Name, r.o.FlushDiskType, r.lives)
}

// newRun decides what the seed stands for.
func newRun(seed uint64, most int) *run {
	plans := workload.Plans()
	rng := rand.New(rand.NewPCG(seed, 1))
	r := &run{seed: seed, plan: plans[seed%uint64(len(plans))], most: most, rng: rand.New(rand.NewPCG(seed, 2))}
	r.o = r.plan.Options(root)
	if rng.IntN(2) == 0 {
		r.o.FlushDiskType = actors.SyncFlush
	}
	r.o.QueueShards = 1 + rng.IntN(2)
	r.lives = []int{0, 0, 1, 2}[rng.IntN(4)]
	return r
}

// errDoubtful ends a run one of whose lives has left what oracle.Found calls
// doubtful: the model knows no damage, so nothing can be judged from there on.
var errDoubtful = errors.New("doubtful")

// ops is how many operations one life has.
const ops = 50

// produce runs the workload to its end. It is called inside a bubble of virtual
// time, in which pauses cost nothing.
func (r *run) produce(ctx context.Context) error {
	system := newSystem()
	defer func() {
		system.Shutdown()
		time.Sleep(3 * time.Second) // of virtual time: its last timers end
	}()
	rng := rand.New(rand.NewPCG(r.seed, 3))
	fsys := mappedtest.NewFS()
	r.model = oracle.New()
	clock := &workload.Clock{}
	r.o.Now = clock.Now
	for life := range r.lives + 1 {
		next, err := r.live(ctx, system, fsys, life, rng, clock)
		if err != nil {
			return fmt.Errorf("%s, life %d: %w", r, life, err)
		}
		fsys = next
	}
	r.ended = clock.Now()
	return nil
}

// live is one life of the store, ended by a cut that is checked at once unless
// it is the last one.
func (r *run) live(ctx context.Context, system *actor.ActorSystem, fsys *mappedtest.FS, life int, rng *rand.Rand,
	clock *workload.Clock) (*mappedtest.FS, error) {
	script := mappedtest.NewScript(fsys)
	o := r.o
	o.FS = script
	last := life == r.lives
	cam := &camera{run: r, script: script, fs: fsys}
	if last {
		script.Add(cam.rules()...)
	}
	s, err := open(ctx, system, o)
	if err != nil {
		return nil, err
	}
	cam.store.Store(s)
	w := &workload.Runner{Store: s.Store, Model: r.model, Window: r.plan.Window, Clock: clock, Sleep: time.Sleep}
	if last {
		w.Acked = func([]*oracle.Sent) { cam.mayTake(4) }
	}
	list := r.plan.Ops(r.seed, int64(life+1)*generation)
	for range 1 + rng.IntN(2*ops) {
		if err := w.Do(ctx, list.Next()); err != nil {
			return nil, errors.Join(err, s.Close(ctx))
		}
	}
	if last {
		err := errors.Join(w.Settle(ctx), s.Close(ctx))
		script.Clear()
		r.final = fsys
		return nil, err
	}
	return r.stop(ctx, system, s, fsys, w, rng)
}

// stop ends a life in one of three ways and opens what is left for a check.
func (r *run) stop(ctx context.Context, system *actor.ActorSystem, s *opened, fsys *mappedtest.FS, w *workload.Runner,
	rng *rand.Rand) (next *mappedtest.FS, err error) {
	cut := oracle.Cut(rng.IntN(3))
	var at oracle.Snapshot
	switch cut {
	case oracle.Closed:
		if err := errors.Join(w.Settle(ctx), s.Close(ctx)); err != nil {
			return nil, err
		}
		at, next = r.model.Now(), fsys.Kill()
	case oracle.Killed:
		at = r.model.Take(s.marks, func() { next = fsys.Kill() })
	case oracle.PowerCut:
		at = r.model.Take(s.marks, func() { next = fsys.Crash(rng.Uint64(), mappedtest.Random) })
	}
	if cut != oracle.Closed {
		if err := errors.Join(w.Settle(ctx), s.Close(ctx)); err != nil {
			return nil, err
		}
	}
	o := r.o
	o.FS = next
	s, err = open(ctx, system, o)
	if err != nil {
		return nil, fmt.Errorf("open after %s: %w", cut, err)
	}
	f, err := s.check(ctx, r.model, at, cut)
	if err = errors.Join(err, s.Close(ctx)); err != nil {
		return nil, err
	}
	if f.Doubtful {
		return nil, errDoubtful
	}
	r.model = r.model.Fork(f)
	return next, nil
}
