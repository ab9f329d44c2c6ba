package crash

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// judge opens images and checks them. It belongs to one goroutine.
type judge struct {
	system *actor.ActorSystem
}

// stopwatch starts at a time and goes on as the machine's clock does.
func stopwatch(from time.Time) func() time.Time {
	began := time.Now()
	return func() time.Time { return from.Add(time.Since(began)) }
}

// options are those of the run, for another file system. Retention has its rounds in
// the run, where time is virtual: one that came while a busy machine takes its time for
// a check would take segments away that the check has seen, or wants.
func (im *image) options(fsys *mappedtest.FS) actors.Options {
	o := im.run.o
	o.FS, o.CleanResourceInterval = fsys, time.Hour
	o.Now = stopwatch(im.run.ended)
	o.Events = im.notes.events()
	if im.seed%10 == 0 { // somebody has changed the configuration meanwhile
		o.FlushDiskType = 1 - o.FlushDiskType
	}
	return o
}

// image opens an image, checks it, goes on with it, stops it once more and
// checks that what was cut away stays away. errDoubtful: not all of it was judged.
func (j *judge) image(ctx context.Context, im *image) error {
	fsys := im.fs.Kill() // the image stays as it is
	o := im.options(fsys)
	before, err := readLog(fsys)
	if err != nil {
		return err
	}
	s, err := open(ctx, j.system, o)
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	f, err := s.check(ctx, im.run.model, im.at, im.cut)
	if err == nil {
		err = before.kept(fsys, f.End)
	}
	if err != nil {
		return errors.Join(err, s.Close(ctx))
	}
	if f.Doubtful {
		if err := s.Close(ctx); err != nil {
			return err
		}
		return errDoubtful
	}
	return j.goOn(ctx, im, s, im.run.model.Fork(f), rand.New(rand.NewPCG(im.seed, 7)))
}

// goOn puts more, stops the store in one of three ways and opens it again.
func (j *judge) goOn(ctx context.Context, im *image, s *opened, m *oracle.Model, rng *rand.Rand) error {
	w := &workload.Runner{Store: s.Store, Model: m, Window: im.run.plan.Window}
	list := im.run.plan.Ops(im.seed, 200*generation)
	for range rng.IntN(12) {
		if err := w.Do(ctx, list.Next()); err != nil {
			return errors.Join(fmt.Errorf("going on: %w", err), s.Close(ctx))
		}
	}
	if err := w.Settle(ctx); err != nil {
		return errors.Join(fmt.Errorf("going on: %w", err), s.Close(ctx))
	}
	fsys := s.o.FS.(*mappedtest.FS)
	var next *mappedtest.FS
	var at oracle.Snapshot
	cut := oracle.Cut(rng.IntN(3))
	switch cut {
	case oracle.Killed:
		at = m.Take(s.marks, func() { next = fsys.Kill() })
	case oracle.PowerCut:
		at = m.Take(s.marks, func() { next = fsys.Crash(rng.Uint64(), mappedtest.Mode(rng.IntN(8))) })
	}
	if err := s.Close(ctx); err != nil {
		return fmt.Errorf("close: %w", err)
	}
	if cut == oracle.Closed {
		at, next = m.Now(), fsys.Kill()
	}
	s, err := open(ctx, j.system, im.options(next))
	if err != nil {
		return fmt.Errorf("second open, after %s: %w", cut, err)
	}
	_, err = s.check(ctx, m, at, cut)
	if err != nil {
		err = fmt.Errorf("second open: %w", err)
	}
	return errors.Join(err, s.Close(ctx))
}
