package storetest

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// engine carries a script out: it stands behind the seam of package actors, and
// puts rules before the disk.
type engine struct {
	watch watch
	disk  *mappedtest.Script
	poke  func(actor string) error
	stop  func(actor string)
	turns *turns // nil: everybody runs when he can

	standing atomic.Int32 // how many hang

	mu     sync.Mutex
	faults []Fault // all of them
	rules  []*rule
	held   map[string][]func() // signals that wait for the actor's next message
	gate   chan struct{}       // closed by release
	heals  int                 // how often all faults were taken away
	timers []*time.Timer
	laters int            // how many there have been
	pokes  map[string]int // by which an actor is to be killed, and that have not come
	struck []string       // what has been done, in order
	ended  bool
	clock  clock
}

// rule is a fault that is armed.
type rule struct {
	Fault
	seen, struck int
}

func newEngine() *engine {
	return &engine{held: make(map[string][]func()), pokes: make(map[string]int), gate: make(chan struct{})}
}

// arm lets the faults of actors count from now on.
func (e *engine) arm(s Script) {
	e.mu.Lock()
	e.faults = append(e.faults, s...)
	e.mu.Unlock()
	for _, f := range s {
		if f.after == 0 && f.ofActor() && !f.atOnce() {
			e.add(f, e.round())
		}
	}
}

// opened arms the others, now that there is something to fail.
func (e *engine) opened(s Script) {
	round := e.round()
	for _, f := range s {
		switch {
		case f.after > 0:
			e.later(f.after, func() { e.add(f, round) })
		case !f.ofActor() || f.atOnce():
			e.add(f, round)
		}
	}
}

func (f *Fault) ofActor() bool { return f.actor != "" }

// atOnce tells whether a fault waits for nothing but a store that is open.
func (f *Fault) atOnce() bool { return f.deed == doKill || f.deed == doStop }

// round is how often all faults have been taken away so far. One that was meant to
// come before that must not come behind it.
func (e *engine) round() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.heals
}

// add arms a fault, or carries it out, unless all have been taken away meanwhile.
func (e *engine) add(f Fault, round int) {
	e.mu.Lock()
	if e.heals != round {
		e.mu.Unlock()
		return
	}
	switch {
	case f.deed == doPause, f.deed == doStop:
		e.struck = append(e.struck, f.String())
	case !f.ofActor():
		e.disk.Add(e.calls(f, round)...)
	default:
		e.rules = append(e.rules, &rule{Fault: f})
	}
	e.mu.Unlock()
	switch f.deed {
	case doPause:
		e.pause()
		if f.length > 0 {
			e.later(f.length, e.resume)
		}
	case doStop:
		e.stop(f.actor)
	case doKill:
		e.kill(f.actor, time.Millisecond)
	}
}

// strikes notes a fault of the disk that a call has met, and gives the gate that
// opens for all who stand still by then; nil if the faults of that round were taken
// away since.
func (e *engine) strikes(f Fault, round int) <-chan struct{} {
	e.mu.Lock()
	defer e.mu.Unlock()
	gone := e.ended || e.heals != round
	if !gone || f.deed == doFailCall { // that one fails the call all the same
		e.struck = append(e.struck, f.String())
	}
	if gone {
		return nil
	}
	return e.gate
}

// later runs f after a while, unless the store has ended by then.
func (e *engine) later(d time.Duration, f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return
	}
	e.laters++
	n := e.laters
	e.timers = append(e.timers, time.AfterFunc(d, func() { e.turns.later(n); f() }))
}

// Step is part of actors.Faults.
func (e *engine) Step(name string, kind actors.Step, done bool) {
	if done {
		e.watch.look()
		e.letGo(name)
		if kind == actors.StepStarted {
			e.started(name)
		}
	} else {
		e.turns.actor(name)
	}
	if kind == actors.StepPoke && !done {
		ours, kill := e.poked(name)
		if kill != nil {
			panic(&Injected{Fault: *kill, Actor: name, Step: kind})
		}
		if ours {
			return
		}
	}
	hit, gate := e.meets(func(r *rule) bool {
		switch r.deed {
		case doPanic, doHang:
			return !done && r.fits(name, kind)
		case doPanicAfter:
			return done && r.fits(name, kind)
		}
		return false
	})
	switch {
	case hit == nil:
	case hit.deed == doHang:
		e.hang(gate, hit.length)
	default:
		if done {
			e.turns.actor(name) // behind those to whom it has sent something
		}
		panic(&Injected{Fault: *hit, Actor: name, Step: kind})
	}
}

func (r *rule) fits(name string, kind actors.Step) bool {
	if r.on == "" {
		return r.actor == name && kind != actors.StepStarted
	}
	return r.actor == name && r.on == kind
}

// meets counts an occasion and finds the fault that strikes there, with the gate
// that opens for all who stand still by then.
func (e *engine) meets(fits func(*rule) bool) (*Fault, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return nil, nil
	}
	var hit *rule
	for _, r := range e.rules {
		if !fits(r) {
			continue
		}
		r.seen++
		if hit == nil && r.due() {
			hit = r
		}
	}
	if hit == nil {
		return nil, nil
	}
	hit.struck++
	e.struck = append(e.struck, hit.String())
	return &hit.Fault, e.gate
}

func (r *rule) due() bool {
	switch {
	case r.every == 0:
		return r.seen == r.at
	case r.times > 0 && r.struck >= r.times:
		return false
	}
	return r.seen >= r.at && (r.seen-r.at)%r.every == 0
}

// faulty tells whether anything has gone wrong on purpose.
func (e *engine) faulty() bool {
	e.mu.Lock()
	struck := len(e.struck) > 0
	e.mu.Unlock()
	return struck || slices.ContainsFunc(e.disk.Trace(), func(c mappedtest.Call) bool { return c.Err != nil && !errors.Is(c.Err, fs.ErrNotExist) })
}

// list is what has happened, for a failure's message.
func (e *engine) list() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.struck) == 0 {
		return "nothing"
	}
	const most = 20
	if n := len(e.struck); n > most {
		return fmt.Sprint(e.struck[:most/2], " and ", n-most, " more and ", e.struck[n-most/2:])
	}
	return fmt.Sprint(e.struck)
}
