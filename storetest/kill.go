package storetest

import (
	"errors"
	"time"

	"github.com/actorstore/actorstore/actors"
)

// kill sends an actor what it panics at. One that is between two lives may lose it:
// started sends it again.
func (e *engine) kill(name string, again time.Duration) {
	e.mu.Lock()
	e.pokes[name]++
	e.mu.Unlock()
	if err := e.poke(name); !errors.Is(err, actors.ErrRestarting) {
		return // it is on its way, or the store is closed
	}
	e.mu.Lock()
	e.pokes[name]--
	e.mu.Unlock()
	e.later(again, func() {
		if e.owes(name) {
			e.kill(name, min(2*again, time.Second))
		}
	})
}

// started kills an actor that has come back, if it was to be killed while it was
// away.
func (e *engine) started(name string) {
	if e.owes(name) {
		e.kill(name, time.Millisecond)
	}
}

// owes tells whether an actor is still to be killed.
func (e *engine) owes(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.ended && e.killing(name) != nil
}

func (e *engine) killing(name string) *rule {
	for _, r := range e.rules {
		if r.deed == doKill && r.actor == name && r.struck == 0 {
			return r
		}
	}
	return nil
}

// poked takes a poke of ours, which is no message that a fault counts. The fault
// is the kill that it was sent for, unless that has struck already.
func (e *engine) poked(name string) (ours bool, kill *Fault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.pokes[name] == 0 {
		return false, nil
	}
	e.pokes[name]--
	r := e.killing(name)
	if r == nil || e.ended {
		return true, nil
	}
	r.struck++
	e.struck = append(e.struck, r.String())
	return true, &r.Fault
}
