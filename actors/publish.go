package actors

import (
	"fmt"
	"sync"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// chain carries puts that wait for the disk to the flusher.
type chain struct{ flusher.Chain }

// chains recycles chains: the flusher gives each back once it has taken over the
// puts.
var chains sync.Pool

func newChain() *chain {
	c, ok := chains.Get().(*chain)
	if !ok {
		c = new(chain)
	}
	return c
}

// batchable lets the flusher's mailbox hand over chains together.
func (*chain) batchable() {}

// gatherMax is how many bytes may wait for the flusher before they are written
// out all the same.
const gatherMax = 1 << 20

// gather reports whether what is encoded should wait. Under SYNC_FLUSH it does
// while a flush is running: it could not be flushed anyway, and one write for
// all that gather meanwhile is cheaper than one for each. The flusher rings when
// it is done.
func (a *appendActor) gather() bool {
	return a.t.flushing.Load() && a.out.Pending() < gatherMax
}

// publishAll publishes what has gathered, now.
func (a *appendActor) publishAll() {
	if len(a.appended) > 0 {
		a.t.flushing.Store(false)
		a.put(nil)
	}
}

// publish answers what was published under ASYNC_FLUSH, or passes it on to the
// flusher.
func (a *appendActor) publish() {
	t := a.t
	switch {
	case len(a.appended) == 0:
	case t.o.FlushDiskType == SyncFlush:
		a.handOver()
	default:
		t.rooms.log.SetConfirm(t.rooms.log.Appended())
		t.dispatchWake.ring()
		a.settleAppended()
	}
	if t.rooms.alloc.Wanted() {
		t.allocatorWake.ring()
	}
}

// handOver sends the puts to the flusher, but for those that do not wait.
func (a *appendActor) handOver() {
	t, c := a.t, newChain()
	rest := a.appended[:0]
	for _, r := range a.appended {
		if r.durable {
			c.Push(&r.Waiter)
		} else {
			rest = append(rest, r)
		}
	}
	clear(a.appended[len(rest):])
	a.appended = rest
	t.flushing.Store(true)
	t.flusher.Load().PostUserMessage(c) // an empty one asks for a flush, too
	a.settleAppended()
}

// settleAppended answers what was appended. Should it end in the middle, the rest is
// settled like that of a failure.
func (a *appendActor) settleAppended() {
	for i, r := range a.appended {
		a.released += r.Weight
		a.appended[i] = nil
		r.Settle()
	}
	a.appended = a.appended[:0]
}

// waitsForFlush is false for a message that says WAIT=false.
func waitsForFlush(m *record.Message) bool {
	return len(m.Properties) == 0 || string(m.Properties.Bytes(record.PropertyWait)) != "false"
}

// settle answers what was encoded and what is left of a batch after a failure or
// a panic.
func (a *appendActor) settle(rest []*putRequest) {
	encoded := a.t.writable()
	untouched := encoded
	if encoded == nil {
		encoded = fmt.Errorf("append actor failed: %w", flusher.ErrOutcomeUnknown)
		untouched = fmt.Errorf("append actor failed: %w", ErrRestarting)
	}
	defer func() {
		if len(a.appended)+len(rest) > 0 { // an answer has panicked, or ended the goroutine
			a.settle(rest)
		}
	}()
	for len(a.appended) > 0 {
		r := a.appended[0]
		a.appended[0], a.appended = nil, a.appended[1:]
		if r != nil { // nil: settled already
			r.Result.Durability = flusher.NotStored // for all that is known
			a.answer(r, flusher.FlushDiskTimeout, encoded)
		}
	}
	for len(rest) > 0 {
		r := rest[0]
		rest = rest[1:]
		if size := r.Weight; r.Take() {
			a.answer(r, flusher.ServiceNotAvailable, untouched)
		} else {
			a.released += size
		}
	}
}

func (a *appendActor) answer(r *putRequest, status flusher.PutMessageStatus, cause error) {
	a.released += r.Weight
	r.Fail(status, &PutError{status, cause})
}

func (a *appendActor) giveBack() {
	if a.released != 0 {
		a.t.admission.leave(a.released)
		a.released = 0
	}
}
