package workload

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// Clock is a wall clock that can be set.
type Clock struct{ by atomic.Int64 }

// Now is the time that it shows.
func (c *Clock) Now() time.Time { return time.Now().Add(time.Duration(c.by.Load())) }

// Set moves it.
func (c *Clock) Set(by time.Duration) { c.by.Add(int64(by)) }

// Runner carries operations out.
type Runner struct {
	Store  *actors.Store
	Model  *oracle.Model
	Window int
	Clock  *Clock
	// Sleep lets time pass; nil: pauses are left out.
	Sleep func(time.Duration)
	// Acked is told of each put that was answered; may be nil.
	Acked func(put []*oracle.Sent)

	flight []flying
}

type flying struct {
	put     []*oracle.Sent
	pending actors.Pending
}

// Do carries out one operation. Any answer but PUT_OK is an error.
func (r *Runner) Do(ctx context.Context, op Op) error {
	switch op.Kind {
	case Put, PutBatch:
		return r.put(ctx, &op)
	case Settle:
		return r.Settle(ctx)
	case Flush:
		end := r.Model.AckedEnd()
		if err := r.Store.Flush(ctx); err != nil {
			return fmt.Errorf("flush: %w", err)
		}
		r.Model.Synced(end)
	case Dispatched:
		return r.Store.Dispatched(ctx)
	case Pause:
		if r.Sleep != nil {
			r.Sleep(op.Pause)
		}
	case SetClock:
		if r.Clock != nil {
			r.Clock.Set(op.Pause)
		}
	case Delete:
		if err := r.Settle(ctx); err != nil {
			return err
		}
		done := r.Model.Deleting(op.Topic)
		if err := r.Store.DeleteTopic(ctx, op.Topic); err != nil {
			return fmt.Errorf("delete topic %s: %w", op.Topic, err)
		}
		done()
	}
	return nil
}

func (r *Runner) put(ctx context.Context, op *Op) error {
	if len(r.flight) >= max(r.Window, 1) {
		if err := r.first(ctx); err != nil {
			return err
		}
	}
	put, err := r.Model.Sent(op.Messages...)
	if err != nil {
		return err
	}
	f := flying{put: put}
	if op.Kind == PutBatch {
		f.pending, err = r.Store.BeginBatch(op.Messages)
	} else {
		f.pending, err = r.Store.Begin(&op.Messages[0])
	}
	if err != nil {
		r.Model.Settled(put, refusal(err), err)
		return fmt.Errorf("put of message %d: %w", put[0].Serial, err)
	}
	r.flight = append(r.flight, f)
	return nil
}

// refusal is the answer of a put that was not even begun.
func refusal(err error) flusher.PutResult {
	var pe *actors.PutError
	if errors.As(err, &pe) {
		return flusher.PutResult{Status: pe.Status, Err: err}
	}
	return flusher.PutResult{Status: flusher.UnknownError, Err: err}
}

// first waits for the oldest put in flight.
func (r *Runner) first(ctx context.Context) error {
	f := r.flight[0]
	r.flight = r.flight[1:]
	result, err := f.pending.Wait(ctx)
	r.Model.Settled(f.put, result, err)
	if err != nil {
		return fmt.Errorf("put of message %d: %w", f.put[0].Serial, err)
	}
	if int(result.Count) != len(f.put) {
		return fmt.Errorf("put of message %d: %d messages, want %d", f.put[0].Serial, result.Count, len(f.put))
	}
	if r.Acked != nil {
		r.Acked(f.put)
	}
	return nil
}

// Settle waits for all puts in flight.
func (r *Runner) Settle(ctx context.Context) error {
	for len(r.flight) > 0 {
		if err := r.first(ctx); err != nil {
			return err
		}
	}
	return nil
}
