package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/actorstore/actorstore"
)

// told is what a store has told of itself, over all its lives.
type told struct {
	mu     sync.Mutex
	events []string
}

func (d *told) add(format string, args ...any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.events = append(d.events, fmt.Sprintf(format, args...))
}

func (d *told) list() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.events)
}

// listen notes events and passes them on.
func (d *told) listen(user actorstore.Events) actorstore.Events {
	e := user
	e.Opened = func(o actorstore.OpenedEvent) { d.add("opened clean=%v", o.Clean); call(user.Opened, o) }
	e.Closed = func(err error) {
		if err == nil {
			d.add("closed")
		} else {
			d.add("closed: %v", err)
		}
		call(user.Closed, err)
	}
	e.ActorRestarted = func(a actorstore.ActorEvent) { d.add("restarted %s", a.Actor); call(user.ActorRestarted, a) }
	e.SinkParked = func(a actorstore.ActorEvent) { d.add("parked %s", a.Actor); call(user.SinkParked, a) }
	e.ActorHung = func(h actorstore.HungEvent) { d.add("hung %s", h.Actor); call(user.ActorHung, h) }
	e.DiskSlow = func(h actorstore.HungEvent) { d.add("disk slow"); call(user.DiskSlow, h) }
	e.ActorMoves = func(h actorstore.HungEvent) { d.add("moves %s", h.Actor); call(user.ActorMoves, h) }
	e.FlushFailed = func(err error) { d.add("flush failed"); call(user.FlushFailed, err) }
	e.ReadOnly = func(err error) { d.add("read-only"); call(user.ReadOnly, err) }
	e.CorruptionFound = func(err error) { d.add("corruption: %v", err); call(user.CorruptionFound, err) }
	e.DiskFull = func(full bool, cause error) {
		d.add("disk full %v", full)
		if user.DiskFull != nil {
			user.DiskFull(full, cause)
		}
	}
	return e
}

func call[T any](f func(T), v T) {
	if f != nil {
		f(v)
	}
}

// Events lists what the store has told of itself since Start, a line each:
// "opened clean=true", "restarted append", "parked index", "flush failed",
// "read-only", "disk full true", "hung dispatch", "moves dispatch", "disk slow",
// "corruption: ...", "closed", "closed: ...".
func (s *Store) Events() []string { return s.told.list() }

// Told counts an event.
func (s *Store) Told(event string) (n int) {
	for _, e := range s.told.list() {
		if e == event {
			n++
		}
	}
	return n
}

// Parked lists the actors that stand still for good.
func (s *Store) Parked() (list []string) {
	for _, e := range s.told.list() {
		if name, ok := strings.CutPrefix(e, "parked "); ok {
			list = append(list, name)
		}
		if strings.HasPrefix(e, "opened ") {
			list = nil // they begin again with the store
		}
	}
	return list
}

// Await waits until something is so, or ctx ends.
func Await(ctx context.Context, is func() bool) error {
	for pause := 100 * time.Microsecond; !is(); pause = min(2*pause, 5*time.Millisecond) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
	return nil
}
