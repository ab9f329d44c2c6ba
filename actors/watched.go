package actors

import (
	"slices"
	"time"
)

// watched is an actor and where it stands. c is nil for the store.
type watched struct {
	standing
	name    string
	mailbox queue
	c       *child
	asked   bool // the store was asked to see to it
	ghost   bool // another has its place, and it has not ended yet
}

// ofGhost is behind the name of an actor whose place was taken while it hung.
const ofGhost = " (replaced)"

// set watches a child, in the place of its predecessor. One that has not ended is
// watched beside it: a Close that waits for it must be able to name it.
func (w *watcher) set(c *child) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget()
	for _, e := range w.list {
		if e.name != c.name {
			continue
		}
		if !e.mailbox.ending() {
			ghost := *e
			ghost.name, ghost.ghost, ghost.asked = e.name+ofGhost, true, true // nothing is left to ask for
			ghost.moved, _ = e.mailbox.load()                                 // a ghost moves no watermark, see beat
			w.list = append(w.list, &ghost)
		}
		e.c, e.mailbox, e.asked = c, c.mailbox, false
		e.moved = -1 // whatever it shows has moved
		return
	}
	w.list = append(w.list, &watched{name: c.name, mailbox: c.mailbox, c: c})
}

// forget drops ghosts that have come to their end, when that has been told; w.mu is
// held.
func (w *watcher) forget() {
	w.list = slices.DeleteFunc(w.list, func(e *watched) bool { return e.ghost && !e.hung && e.mailbox.ending() })
}

// beat is how one of those that are watched is. A ghost moves no watermark.
func (w *watcher) beat(e *watched) beat {
	turns, busy := e.mailbox.load()
	if !busy && e.mailbox.ending() { // it has ended, and owes nothing any more
		return beat{moved: turns}
	}
	if e.ghost {
		return beat{moved: turns, owes: busy, busy: busy}
	}
	return w.t.beat(e.name, turns, busy)
}

// again lets the store be asked once more: what it could not do now, it can
// perhaps at the next look.
func (w *watcher) again(c *child) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.list {
		if e.c == c {
			e.asked = false
		}
	}
}

// busy names those who have something in hand. Where nothing has moved for so long
// that is who hangs.
func (w *watcher) busy(stood time.Duration) *HungError {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := &HungError{}
	for _, e := range w.list {
		if b := w.beat(e); b.busy {
			event := w.event(e, b)
			event.For = max(event.For, stood)
			err.Actors = append(err.Actors, event)
		}
	}
	return err
}

// refuse closes the mailboxes of those who hang while the store ends.
func (w *watcher) refuse(refuse func(message any)) {
	w.mu.Lock()
	var hung []queue
	for _, e := range w.list {
		if _, busy := e.mailbox.load(); busy {
			hung = append(hung, e.mailbox)
		}
	}
	w.mu.Unlock()
	for _, q := range hung {
		q.Close(refuse)
	}
}

// moved grows with what brings the end nearer: an actor that stops, a watermark,
// a step of the end. What actors do besides, such as tick, does not.
func (w *watcher) moved() int64 {
	log := w.t.log()
	sum := w.t.finished.Load() + log.Appended() + log.Flushed() + log.Dispatched() + w.t.rooms.queues.Syncs()
	for _, s := range w.t.sinks {
		sum += s.Applied()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.list {
		if e.mailbox.ending() {
			sum++
		}
	}
	return sum
}
