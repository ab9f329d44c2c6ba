package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/progress"
)

// finish ends a store whose actors have gone: it flushes, dispatches what is
// left, syncs, writes down that all is well and removes the abort marker. If a
// step fails, or ctx ends before all are done, the marker stays, so the next
// start recovers. The rooms are released in any case.
func (t *tree) finish(ctx context.Context) error {
	err := guarded(func() error { return t.settle(ctx) })
	if err != nil {
		err = fmt.Errorf("close: the next start will recover: %w", err)
	}
	return errors.Join(err, t.rooms.release())
}

// settle brings the store to rest. Everything runs on this goroutine.
func (t *tree) settle(ctx context.Context) error {
	r := t.rooms
	steps := []func() error{
		func() error {
			if t.doubtful {
				return t.recoverTail()
			}
			return nil
		},
		func() error { return r.log.Syncer().Flush() },
		func() error { r.log.SetConfirm(r.log.Flushed()); return t.dispatchRest(ctx) },
		r.log.DropUnused,
		func() error { return r.progress.Finish(t.look(), time.Now()) },
		func() error { return checkpoint.RemoveAbort(r.fs, r.layout) },
	}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := step(); err != nil {
			return err
		}
		t.finished.Add(1)
	}
	return nil
}

// dispatchRest applies what the actors had not come to.
func (t *tree) dispatchRest(ctx context.Context) error {
	log := t.log()
	at := log.Confirm()
	for _, s := range t.sinks {
		at = min(at, s.Applied())
	}
	reput := t.newReput(at)
	w := &dispatch.Window{}
	for reput.Pos() < log.Confirm() {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := reput.Read(w, log.Confirm()); err != nil {
			return err
		}
		for _, s := range t.sinks {
			if err := s.Apply(w); err != nil {
				return err
			}
		}
		t.finished.Add(1)
		if w.LastRecord >= 0 {
			t.dispatched.Store(&progress.Record{Start: w.LastRecord, End: w.End, StoreTimestamp: w.LastTimestamp})
		}
	}
	log.SetDispatched(log.Confirm())
	return nil
}

// newReput makes a reader of the log for this store's rules.
func (t *tree) newReput(from int64) *dispatch.Reput {
	r := t.rooms
	return dispatch.NewReput(r.log.Reader(), r.queues, r.rules(&t.o), from)
}
