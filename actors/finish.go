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
	err := apart(func() error { return t.settle(ctx) })
	if err != nil {
		err = fmt.Errorf("close: the next start will recover: %w", err)
	}
	t.rooms.notifier.Close(t.leaving())
	return errors.Join(err, t.rooms.release())
}

// settle brings the store to rest. Everything runs on this goroutine.
func (t *tree) settle(ctx context.Context) error {
	r := t.rooms
	steps := []struct {
		what string
		do   func() error
	}{
		{"the end of the log in doubt", func() error {
			if t.doubtful {
				return t.recoverTail()
			}
			return nil
		}},
		{"the last flush of the log", func() error { return r.log.Syncer().Flush() }},
		{"what dispatch has left", func() error { r.log.SetConfirm(r.log.Flushed()); return t.dispatchRest(ctx) }},
		{"an unused segment", r.log.DropUnused},
		{"the last sync of queues and index, summary and mark", func() error { return r.progress.Finish(t.look(), time.Now()) }},
		{"the abort marker", func() error { return checkpoint.RemoveAbort(r.fs, r.layout) }},
	}
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.atLast(step.what, step.do); err != nil {
			return err
		}
	}
	return nil
}

// atLast is a step of the end, of which nobody can see how far it is. One that
// takes long is told of: no actor is left that could hang, so it is the disk.
func (t *tree) atLast(what string, step func() error) error {
	t.lastStep.Store(&what)
	defer t.finished.Add(1)
	if limit := t.o.HangTimeout; limit > 0 {
		alarm := time.AfterFunc(limit, func() {
			alone(func() { t.watch.tellHung(HungEvent{Actor: storeName, For: limit, Holds: what}, true) })
		})
		defer alarm.Stop()
	}
	return step()
}

// dispatchRest applies what the actors had not come to.
func (t *tree) dispatchRest(ctx context.Context) error {
	if s := t.sinkNamed(indexName); s != nil { // it may be behind the queues
		err := t.pass(ctx, t.reputFor(indexName, s.Applied()), t.queuesApplied(), s.Apply)
		if err != nil {
			return err
		}
	}
	log := t.log()
	at := log.Confirm()
	for _, s := range t.sinks {
		at = min(at, s.Applied())
	}
	err := t.pass(ctx, t.newReput(at), log.Confirm(), func(w *dispatch.Window) error {
		for _, s := range t.sinks {
			if err := s.Apply(w); err != nil {
				return err
			}
		}
		if w.LastRecord >= 0 {
			t.dispatched.Store(&progress.Record{Start: w.LastRecord, End: w.End, StoreTimestamp: w.LastTimestamp})
		}
		return nil
	})
	if err != nil {
		return err
	}
	log.SetDispatched(log.Confirm())
	return nil
}

// pass reads the log up to end, a window at a time.
func (t *tree) pass(ctx context.Context, reput *dispatch.Reput, end int64, to func(*dispatch.Window) error) error {
	w := &dispatch.Window{}
	for reput.Pos() < end {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := reput.Read(w, end); err != nil {
			return err
		}
		if err := to(w); err != nil {
			return err
		}
		t.finished.Add(1)
	}
	return nil
}

// reputFor makes the reader that a sink catches up with.
func (t *tree) reputFor(name string, from int64) *dispatch.Reput {
	if name == indexName {
		return dispatch.NewKeyReput(t.rooms.log.Reader(), t.rooms.rules(&t.o), from)
	}
	return t.newReput(from)
}

// newReput makes a reader of the log for this store's rules.
func (t *tree) newReput(from int64) *dispatch.Reput {
	r := t.rooms
	return dispatch.NewReput(r.log.Reader(), r.queues, r.rules(&t.o), from)
}
