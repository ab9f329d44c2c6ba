package actors

import (
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// errAsleep is why an actor is restarted that does nothing though it should.
var errAsleep = errors.New("asleep: its signal was lost")

// errHangs is why an actor is replaced.
var errHangs = errors.New("hangs")

// hung sees to an actor that does not move. Go cannot end a goroutine, so one
// that has a message in hand goes on with it some day, and what it does then
// must harm nobody:
//
//   - a reader only reads: another takes its place, and its asker is answered;
//   - dispatch is replaced while it reads, fenced off from all that others see;
//   - a sink may be in the middle of a write, and its core has one writer: it
//     keeps its place, but dispatch goes on without it until it has caught up;
//   - checkpoint, retention and allocator may be in the middle of a write that
//     nothing can fence off: they are told of, and the store works without them;
//   - append and flusher are told of. The store cannot be written without them.
//
// One that has nothing in hand and yet owes something has lost its signal. It is
// restarted like any other, or woken.
func (a *storeActor) hung(ctx actor.Context, m *hungChild) {
	c := m.c
	if a.stopping || c.ending || a.children[c.pid.Id] != c {
		return
	}
	switch {
	case m.asleep:
		a.rouse(c)
	case a.ghosts[c.name]: // its predecessor hangs as well: not one more until that has ended
		a.t.watch.again(c)
	case c.name == dispatchName:
		a.replaceDispatch(ctx, c)
	case a.t.readerAt(c.pid) >= 0:
		a.replaceReader(ctx, c)
	case a.t.sinkNamed(c.name) != nil:
		a.t.toDispatch(&sinkAway{c.name, awayHangs})
	}
}

// rouse gets an actor going that has lost its signal. Should it lose another
// one, the watch comes back.
func (a *storeActor) rouse(c *child) {
	t := a.t
	switch {
	case c.name == appendName:
		t.appendWake.clear()
		t.appendWake.ring()
	case c.name == flusherName:
		c.mailbox.PostUserMessage(&flushNow{func(error) {}})
	case t.sinkNamed(c.name) != nil:
		t.toDispatch(&sinkAway{c.name, awayFailed})
		a.restart(c, errAsleep)
	default:
		a.restart(c, errAsleep)
	}
	t.watch.again(c)
}

// replaceDispatch puts another dispatch in the place of one that hangs in the
// middle of reading. If it hangs in anything else, the fence is taken.
func (a *storeActor) replaceDispatch(ctx actor.Context, c *child) {
	t := a.t
	if !t.dispatching.TryLock() {
		t.watch.again(c)
		return
	}
	t.dispatching.next()
	t.dispatching.Unlock()
	a.replace(ctx, c)
	c.mailbox.Close(t.refuse)
}

// replaceReader puts another reader in the place of one that hangs.
func (a *storeActor) replaceReader(ctx actor.Context, c *child) {
	t := a.t
	i := t.readerAt(c.pid)
	old := t.readers[i]
	a.replace(ctx, c)
	if owed := old.owed.Swap(nil); owed != nil {
		t.replies.send(t.system, owed.to, owed.answer)
	}
	c.mailbox.Close(t.readers[i].ask)
}

// replace leaves an actor alone with what it hangs in and starts another.
func (a *storeActor) replace(ctx actor.Context, c *child) {
	b := a.budgets.of(c.name)
	b.fail(time.Now())
	a.report(c.name, errHangs, b.failures, false)
	a.ghosts[c.name] = true
	c.end()
	c.again(ctx)
}
