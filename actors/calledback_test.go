package actors

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/flusher"
)

// later puts n messages whose callbacks do something.
func (r *rig) later(n int, do func()) {
	r.t.Helper()
	for range n {
		if err := r.s.PutAsync(message("a", 0, "x"), func(flusher.PutResult) { do() }); err != nil {
			r.t.Fatal(err)
		}
	}
}

// A service that closes the store and then what its callbacks use was called back
// after that.
func TestCloseWaitsForCallbacks(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		virtual(t, func(t *testing.T) {
			r := open(t, flush)
			var ran atomic.Int64
			r.later(100, func() { time.Sleep(time.Millisecond); ran.Add(1) })
			r.later(1, func() { time.Sleep(time.Hour); ran.Add(1) }) // those that follow go on beside it
			r.later(100, func() { ran.Add(1); panic("callback") })
			r.later(1, func() { ran.Add(1); runtimeGoexit() })
			ctx, cancel := context.WithTimeout(r.ctx, 2*time.Hour)
			defer cancel()
			if err := r.s.Close(ctx); err != nil || ran.Load() != 202 || r.aborted() {
				t.Errorf("%v, %d callbacks of 202 have run", err, ran.Load())
			}
			r.close() // again
		})
	})
}

// A callback that does not return holds up Close no longer than its limits, and the
// store has ended in order.
func TestCloseDespiteCallbacks(t *testing.T) {
	for _, limited := range []bool{true, false} {
		virtual(t, func(t *testing.T) {
			r := open(t, func(o *Options) { o.HangTimeout = hangLimit })
			gate := make(chan struct{})
			r.later(1, func() { <-gate })
			for i := range 3 { // each of which is progress
				r.later(1, func() { time.Sleep(time.Duration(i+1) * 2 * hangLimit) })
			}
			ctx, cancel := context.WithCancel(r.ctx)
			if limited {
				ctx, cancel = context.WithTimeout(r.ctx, 2*hangLimit)
			}
			defer cancel()
			began := time.Now()
			err := r.s.Close(ctx)
			want := 3*2*hangLimit + 2*closeLimits*hangLimit // behind the last that has returned
			if limited {
				want = 2 * hangLimit
			}
			if took := time.Since(began); took > want {
				t.Errorf("close took %v", took)
			}
			if !errors.Is(err, ErrCallbacks) || errors.Is(err, context.DeadlineExceeded) != limited || r.aborted() {
				t.Errorf("close: %v, aborted %v", err, r.aborted())
			}
			close(gate)
			time.Sleep(10 * hangLimit)
			r.close()
		})
	}
}

// A callback that closes the store, and an event that does, wait for no callback:
// not for itself, nor for another one that does the same.
func TestCallbacksThatClose(t *testing.T) {
	virtual(t, func(t *testing.T) {
		f := &seam{}
		r := open(t, watchHangs(f))
		errs := make(chan error, 3)
		shut := func() {
			time.Sleep(time.Second) // until the other is there
			errs <- deep(100, func() error { return r.s.Close(r.ctx) })
		}
		r.s.o.Events.ActorHung = shield(func(HungEvent) { shut() }, r.s.calls.onPanic)
		tr := r.tree()
		r.later(2, shut)
		tr.calls.run(func() { r.s.o.Events.ActorHung(HungEvent{}) })
		began := time.Now()
		for range cap(errs) {
			if err := <-errs; err != nil {
				t.Error(err)
			}
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("close took %v", took)
		}
		r.close()
	})
}

// deep calls f from far down the stack.
func deep(n int, f func() error) error {
	if n == 0 {
		return f()
	}
	err := deep(n-1, f)
	return errors.Join(err)
}
