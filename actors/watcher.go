package actors

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
)

// ErrHung is what errors.Is finds when an actor does not move.
var ErrHung = errors.New("store hangs")

// HungError names the actors that do not move.
type HungError struct{ Actors []HungEvent }

// Error names each with what it holds.
func (e *HungError) Error() string {
	var b strings.Builder
	fmt.Fprint(&b, ErrHung)
	for _, h := range e.Actors {
		fmt.Fprintf(&b, "; %s has not moved for %v, with %s", h.Actor, h.For.Round(time.Millisecond), h.Holds)
	}
	return b.String()
}

// Is makes it an ErrHung.
func (e *HungError) Is(target error) bool { return target == ErrHung }

// looksPerTimeout is how often the watch looks within a HangTimeout.
const looksPerTimeout = 4

// storeName is what the supervisor is called among its actors.
const storeName = "store"

// watcher looks at the actors from outside, on a goroutine of its own: it takes
// no part in what they do and waits for none of them, so that none can hold it
// up. It reads the watermarks that are there anyway and what the mailboxes count
// under their own locks; an actor does nothing for it.
type watcher struct {
	t    *tree
	done chan struct{}
	once sync.Once

	mu     sync.Mutex
	list   []*watched
	parked []Parked // those that are watched no more
}

// hungChild asks the store to see to an actor that hangs.
type hungChild struct {
	c      *child
	asleep bool // it has nothing in hand and yet owes something
}

func newWatcher(t *tree, store queue) *watcher {
	return &watcher{t: t, done: make(chan struct{}), list: []*watched{{name: storeName, mailbox: store}}}
}

// start looks until stop.
func (w *watcher) start(limit time.Duration) {
	if limit <= 0 {
		return
	}
	go func() {
		clock := time.NewTicker(max(limit/looksPerTimeout, 1))
		defer clock.Stop()
		for {
			select {
			case <-w.done:
				return
			case <-clock.C:
				alone(func() { w.tick(limit) })
			}
		}
	}()
}

// tick comes by the way of all ticks, so that a test holds up the watch with
// those whom it watches.
func (w *watcher) tick(limit time.Duration) {
	look := func() {
		select {
		case <-w.done: // it was on its way
		default:
			w.look(time.Now(), limit)
		}
	}
	if f := w.t.o.Faults; f != nil {
		f.Signal("watch", StepTick, look, func() {})
	} else {
		look()
	}
}

func (w *watcher) stop() { w.once.Do(func() { close(w.done) }) }

// look looks at everybody once.
func (w *watcher) look(now time.Time, limit time.Duration) {
	var ask []*hungChild
	var pair []HungEvent
	var all []HungEvent
	var tell []func()
	w.mu.Lock()
	for _, e := range w.list {
		b := w.beat(e)
		before := e.stood
		switch e.standing.look(b, now, limit) {
		case well:
			continue
		case stands:
		case tooLong:
			event, disk := w.event(e, b), b.disk
			tell = append(tell, func() { w.tellHung(event, disk) })
		case movesOn:
			e.asked = false
			event := w.event(e, b)
			event.For = before
			tell = append(tell, func() { w.tellMoves(event) })
		}
		if !e.hung {
			continue
		}
		event := w.event(e, b)
		all = append(all, event)
		if b.disk {
			continue
		}
		if e.name == appendName || e.name == flusherName {
			pair = append(pair, event)
		}
		if e.c != nil && !e.asked {
			e.asked = true
			ask = append(ask, &hungChild{e.c, !b.busy})
		}
	}
	w.forget()
	w.mu.Unlock()
	w.t.hungNow(all, pair)
	for _, m := range ask { // with nothing locked, as what follows
		w.t.store.PostUserMessage(m)
	}
	for _, f := range tell { // the logger may hang like others
		f()
	}
}

func (w *watcher) event(e *watched, b beat) HungEvent {
	return HungEvent{Actor: e.name, For: e.stood, Holds: w.t.holds(e.name, b)}
}

func (w *watcher) tellHung(e HungEvent, disk bool) {
	tell, o := w.t.o.Events.ActorHung, &w.t.o
	if disk {
		tell = o.Events.DiskSlow
	}
	if tell != nil {
		w.t.calls.run(func() { tell(e) })
	}
	say(o.Logger.Error().Str("actor", e.Actor).Dur("for", e.For).Str("holds", e.Holds).Bool("disk", disk), "does not move")
}

func (w *watcher) tellMoves(e HungEvent) {
	if tell := w.t.o.Events.ActorMoves; tell != nil {
		w.t.calls.run(func() { tell(e) })
	}
	say(w.t.o.Logger.Info().Str("actor", e.Actor).Dur("after", e.For), "moves again")
}
