package storetest

import (
	"maps"
	"slices"
	"time"

	"github.com/actorstore/actorstore/actors"
)

// reordered is how long a signal may wait for its actor's next message.
const reordered = 5 * time.Millisecond

// Signal is part of actors.Faults.
func (e *engine) Signal(name string, kind actors.Step, send, lose func()) {
	if kind == actors.StepTick && e.hold(name, send) {
		return
	}
	if kind == actors.StepTick {
		e.turns.tick(name)
	}
	hit, _ := e.meets(func(r *rule) bool {
		switch r.deed {
		case doDrop, doDelay, doReorder, doDuplicate:
			return r.fits(name, kind)
		}
		return false
	})
	if hit == nil {
		send()
		return
	}
	switch hit.deed {
	case doDrop:
		lose()
	case doDelay:
		e.afterwards(hit.length, send)
	case doReorder:
		once := e.setAside(name, send)
		e.afterwards(reordered, once)
	case doDuplicate:
		send()
		send()
	}
}

// afterwards sends a signal later, or now if the store is ending.
func (e *engine) afterwards(d time.Duration, send func()) {
	e.mu.Lock()
	ended := e.ended
	e.mu.Unlock()
	if ended {
		send()
		return
	}
	time.AfterFunc(d, send)
}

// setAside keeps a signal until its actor has dealt with another message; the
// result sends it if that has not happened.
func (e *engine) setAside(name string, send func()) (once func()) {
	sent := false
	once = func() {
		e.mu.Lock()
		was := sent
		sent = true
		e.mu.Unlock()
		if !was {
			send()
		}
	}
	e.mu.Lock()
	e.held[name] = append(e.held[name], once)
	e.mu.Unlock()
	return once
}

// letGo sends what was set aside for an actor.
func (e *engine) letGo(name string) {
	e.mu.Lock()
	list := e.held[name]
	if list != nil {
		delete(e.held, name)
	}
	e.mu.Unlock()
	for _, send := range list {
		send()
	}
}

func (e *engine) letAllGo() {
	e.mu.Lock()
	var all []func()
	for _, name := range slices.Sorted(maps.Keys(e.held)) {
		all = append(all, e.held[name]...)
	}
	clear(e.held)
	e.mu.Unlock()
	for _, send := range all {
		send()
	}
}
