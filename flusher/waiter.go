package flusher

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync/atomic"
	"time"
)

// ErrOutcomeUnknown is what errors.Is finds when a caller stopped waiting for a
// put that was already taken: the message is, or will be, in the log unless the
// store fails.
var ErrOutcomeUnknown = errors.New("outcome unknown")

// ErrBodyInUse is what errors.Is finds, besides ErrOutcomeUnknown, when a caller
// stopped waiting for a put while the store was still reading the message: what
// the message points to must not be used again.
var ErrBodyInUse = errors.New("the message is still being read")

// inUse is how long a caller whose context has ended waits for the end of that,
// which takes microseconds unless the store hangs.
const inUse = time.Second

// The life of a put. The low bits are the phase, parked says that the caller
// sleeps on the channel. A phase only moves forward.
const (
	queued    uint32 = iota // not taken yet: may be withdrawn
	taken                   // being encoded: the body is in use
	copied                  // in the log, waits for the flush
	abandoned               // the caller has left after copied
	withdrawn               // the caller has left before taken
	settled                 // Result is final
	deserted                // the caller has left after taken, before copied

	phaseMask uint32 = 7
	parked    uint32 = 8
)

// spins is how often a caller yields before it sleeps: under load the answer is
// there after one or two.
const spins = 4

// Waiter is the completion of one put. It lives inside the request, so an
// answer costs an atomic swap and, only if the caller really sleeps, one
// channel send; nothing is allocated.
//
// The side that answers calls Take, Copied and Settle in this order; Settle may
// come at any time. The caller calls Wait once.
type Waiter struct {
	Result PutResult // the answerer's until settled, then the caller's
	Weight int64     // bytes that it counts while it is unanswered
	// OnSettled, if set, is told instead of a parked caller. It runs on the
	// answering goroutine: it must only hand over.
	OnSettled func(*Waiter)
	// Recycle, if set, gets the waiter back when its caller has left before the
	// answer: from Take that reports false, or from Settle.
	Recycle func(*Waiter)

	next  *Waiter
	state atomic.Uint32
	wake  chan struct{}
}

// Reset makes a waiter ready for another put.
func (w *Waiter) Reset() {
	w.Result = PutResult{}
	w.Weight = 0
	w.next = nil
	w.state.Store(queued)
	if w.wake == nil {
		w.wake = make(chan struct{}, 1)
	}
}

// Take claims the put for encoding; false if its caller has withdrawn it, which
// ends it: it must be forgotten.
func (w *Waiter) Take() bool {
	for {
		s := w.state.Load()
		if s&phaseMask != queued {
			if s&phaseMask == withdrawn {
				w.recycle()
			}
			return false
		}
		if w.state.CompareAndSwap(s, s&parked|taken) {
			return true
		}
	}
}

// Copied says that the body is no longer needed and Result tells where it is.
func (w *Waiter) Copied() {
	for {
		s := w.state.Load()
		if s&phaseMask == deserted || w.state.CompareAndSwap(s, s&parked|copied) {
			return
		}
	}
}

// Settle answers the put with what Result says. The waiter then belongs to the
// caller and must not be touched.
func (w *Waiter) Settle() {
	if w.OnSettled != nil {
		w.state.Store(settled)
		w.OnSettled(w)
		return
	}
	s := w.state.Swap(settled)
	switch phase := s & phaseMask; {
	case phase == abandoned || phase == withdrawn || phase == deserted:
		w.recycle()
	case s&parked != 0:
		w.wake <- struct{}{}
	}
}

// Fail answers the put with a status and its cause, whatever Result says.
func (w *Waiter) Fail(status PutMessageStatus, cause error) {
	w.Result.Status, w.Result.Err = status, cause
	if status != FlushDiskTimeout && status != FlushSlaveTimeout {
		w.Result.Durability = NotStored
	}
	w.Settle()
}

func (w *Waiter) recycle() {
	if w.Recycle != nil {
		w.Recycle(w)
	}
}

// Done reports whether Result is final.
func (w *Waiter) Done() bool { return w.state.Load()&phaseMask == settled }

// Wait sleeps until the put is settled or ctx ends. It reports whether the
// waiter still belongs to the caller. If ctx ends first the put is withdrawn,
// with the context's error, or, when it was taken already, left behind as soon
// as the body is copied, with ErrOutcomeUnknown besides. Should that not come to
// pass within a second, ErrBodyInUse says so.
func (w *Waiter) Wait(ctx context.Context) (mine bool, err error) {
	for range spins {
		if w.Done() {
			return true, nil
		}
		runtime.Gosched()
	}
	if !w.park() {
		return true, nil
	}
	if ctx.Done() == nil {
		<-w.wake
		return true, nil
	}
	select {
	case <-w.wake:
		return true, nil
	case <-ctx.Done():
		return w.leave(ctx.Err())
	}
}

// park announces that the caller will sleep; false if the answer is there.
func (w *Waiter) park() bool {
	for {
		s := w.state.Load()
		if s&phaseMask == settled {
			return false
		}
		if w.state.CompareAndSwap(s, s|parked) {
			return true
		}
	}
}

// leave ends a wait whose context has ended.
func (w *Waiter) leave(cause error) (mine bool, err error) {
	var waited time.Duration
	for pause := time.Microsecond; ; pause = min(2*pause, time.Millisecond) {
		s := w.state.Load()
		switch s & phaseMask {
		case queued:
			if w.state.CompareAndSwap(s, withdrawn) {
				return false, cause
			}
		case copied:
			if w.state.CompareAndSwap(s, abandoned) {
				return false, fmt.Errorf("%w: %w", ErrOutcomeUnknown, cause)
			}
		case settled:
			<-w.wake // the answerer saw parked
			return true, nil
		default: // taken: the body is being read
			if waited >= inUse && w.state.CompareAndSwap(s, deserted) {
				return false, fmt.Errorf("%w: %w: %w", ErrOutcomeUnknown, ErrBodyInUse, cause)
			}
			time.Sleep(pause)
			waited += pause
		}
	}
}
