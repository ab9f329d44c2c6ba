package actors

import "sync/atomic"

// wake is a signal to an actor that a watermark has moved. However often it is
// rung, at most one is queued, so no mailbox behind the append actor can grow:
// progress travels in watermarks, messages only wake.
//
// The receiver calls clear before it reads the watermarks; an actor that starts
// clears and makes one pass, because its predecessor may have died with a wake
// in hand.
type wake struct {
	rung   atomic.Bool
	target placeBox
	faults Faults // of a test, else nil
}

// wakeUp is the message that a wake sends.
type wakeUp struct{}

var theWakeUp = &wakeUp{}

func newWake(f Faults) *wake { return &wake{faults: f} }

// ring wakes the target unless a wake is already on its way.
func (w *wake) ring() {
	if w.rung.Load() || !w.rung.CompareAndSwap(false, true) {
		return
	}
	to := w.target.Load()
	switch {
	case to == nil:
		w.clear()
	case w.faults != nil:
		w.faults.Signal(to.name, StepWake, func() { to.PostUserMessage(theWakeUp) }, w.clear)
	default:
		to.PostUserMessage(theWakeUp)
	}
}

// aim sets whom it wakes. A wake that was rung since the new one has started may
// have gone to its predecessor, and would hold up all others: it is rung again.
func (w *wake) aim(at *place) {
	w.target.Store(at)
	if w.rung.Swap(false) {
		w.ring()
	}
}

// clear lets the next ring through.
func (w *wake) clear() { w.rung.Store(false) }
