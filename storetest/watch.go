package storetest

import (
	"errors"
	"fmt"
	"sync"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog"
)

// watch looks at the watermarks each time an actor has dealt with a message.
type watch struct {
	mu     sync.Mutex
	state  func() (actorstore.State, error)
	sync   bool
	last   *actorstore.State
	latch  *actorstore.State // the first look after the log had failed
	broken []Violation
}

func (w *watch) begin(state func() (actorstore.State, error), syncFlush bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.state, w.sync = state, syncFlush
}

// opened tells that the store has opened, perhaps anew: what it does from now on is
// not behind an earlier failure of its log.
func (w *watch) opened() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.latch = nil
}

func (w *watch) look() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.state == nil {
		return
	}
	now, err := w.state()
	if err != nil {
		return // closed, or opening again
	}
	if w.latch == nil && readOnly(now) {
		if now, err = w.state(); err != nil { // its watermarks were read before it failed
			return
		}
	}
	const most = 10
	found := append(order(now, w.sync), w.moved(now)...)
	if room := most - len(w.broken); len(found) > room {
		found = found[:room]
	}
	w.broken = append(w.broken, found...)
	w.last = &now
}

func readOnly(s actorstore.State) bool { return errors.Is(s.ReadOnly, commitlog.ErrReadOnly) }

// order is the static part of I1.
func order(s actorstore.State, syncFlush bool) (list []Violation) {
	m := s.Watermarks
	want := func(ok bool, what string) {
		if !ok {
			list = append(list, Violation{"I1", fmt.Sprintf("%s does not hold: %+v", what, m)})
		}
	}
	want(m.Min <= m.Dispatched, "min <= dispatched")
	want(m.Dispatched <= m.Confirm, "dispatched <= confirm")
	want(m.Confirm <= m.Appended, "confirm <= appended")
	want(m.Flushed <= m.Appended, "flushed <= appended")
	want(!syncFlush || m.Confirm <= m.Flushed, "confirm <= flushed")
	return list
}

// moved compares a look with the ones before it: nothing goes back (I1), and
// behind a failed flush nothing moves (I7). A put that was under way when the
// flush failed may still be confirmed under ASYNC_FLUSH.
func (w *watch) moved(now actorstore.State) (list []Violation) {
	if w.last != nil {
		was, is := w.last.Watermarks, now.Watermarks
		if is.Min < was.Min || is.Dispatched < was.Dispatched || is.Confirm < was.Confirm || is.Flushed < was.Flushed || is.Appended < was.Appended {
			list = append(list, Violation{"I1", fmt.Sprintf("a watermark went back: %+v, then %+v", was, is)})
		}
	}
	if !readOnly(now) {
		return list
	}
	if w.latch == nil {
		if w.sync || now.InFlight == 0 {
			w.latch = &now
		}
		return list
	}
	if was, is := w.latch.Watermarks, now.Watermarks; is.Flushed != was.Flushed || is.Confirm != was.Confirm {
		list = append(list, Violation{"I7", fmt.Sprintf("flushed or confirm moved after the log had failed: %+v, then %+v", was, is)})
	}
	return list
}

func (w *watch) violations() []Violation {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]Violation(nil), w.broken...)
}
