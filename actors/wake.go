package actors

import (
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"
)

// wake is a signal to an actor that a watermark has moved. However often it is
// rung, at most one is queued, so no mailbox behind the append actor can grow:
// progress travels in watermarks, messages only wake.
//
// The receiver calls clear before it reads the watermarks; an actor that starts
// clears and makes one pass, because its predecessor may have died with a wake
// in hand.
type wake struct {
	rung   atomic.Bool
	system *actor.ActorSystem
	target pidBox
	faults Faults // of a test, else nil
}

// pidBox holds the PID of an actor that may be spawned again.
type pidBox = atomic.Pointer[actor.PID]

// wakeUp is the message that a wake sends.
type wakeUp struct{}

var theWakeUp = &wakeUp{}

func newWake(system *actor.ActorSystem, f Faults) *wake { return &wake{system: system, faults: f} }

// ring wakes the target unless a wake is already on its way.
func (w *wake) ring() {
	if w.rung.Load() || !w.rung.CompareAndSwap(false, true) {
		return
	}
	pid := w.target.Load()
	switch {
	case pid == nil:
		w.clear()
	case w.faults != nil:
		w.faults.Signal(nameOf(pid), StepWake, func() { w.system.Root.Send(pid, theWakeUp) }, w.clear)
	default:
		w.system.Root.Send(pid, theWakeUp)
	}
}

// aim sets whom it wakes. A wake that was rung since the new one has started may
// have gone to its predecessor, and would hold up all others: it is rung again.
func (w *wake) aim(pid *actor.PID) {
	w.target.Store(pid)
	if w.rung.Swap(false) {
		w.ring()
	}
}

// clear lets the next ring through.
func (w *wake) clear() { w.rung.Store(false) }
