package storetest

import (
	"fmt"
	"sync"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// engine carries a script out: it stands behind the seam of package actors, and
// puts rules before the disk.
type engine struct {
	watch watch
	disk  *mappedtest.Script
	poke  func(actor string)
	stop  func(actor string)

	mu     sync.Mutex
	rules  []*rule
	held   map[string][]func() // signals that wait for the actor's next message
	gate   chan struct{}       // closed by release
	timers []*time.Timer
	struck []string // what has been done, in order
	ended  bool
	clock  clock
}

// rule is a fault that is armed.
type rule struct {
	Fault
	seen, struck int
}

func newEngine() *engine {
	return &engine{held: make(map[string][]func()), gate: make(chan struct{})}
}

// arm lets the faults of actors count from now on.
func (e *engine) arm(s Script) {
	for _, f := range s {
		if f.after == 0 && f.ofActor() && !f.atOnce() {
			e.add(f)
		}
	}
}

// opened arms the others, now that there is something to fail.
func (e *engine) opened(s Script) {
	for _, f := range s {
		switch {
		case f.after > 0:
			e.later(f.after, func() { e.add(f) })
		case !f.ofActor() || f.atOnce():
			e.add(f)
		}
	}
}

func (f *Fault) ofActor() bool { return f.actor != "" }

// atOnce tells whether a fault waits for nothing but a store that is open.
func (f *Fault) atOnce() bool { return f.deed == doKill || f.deed == doStop }

func (e *engine) add(f Fault) {
	switch {
	case f.deed == doPause:
		e.note(f)
		e.pause()
		if f.length > 0 {
			e.later(f.length, e.resume)
		}
		return
	case f.deed == doStop:
		e.note(f)
		e.stop(f.actor)
		return
	case !f.ofActor():
		e.disk.Add(e.calls(f)...)
		return
	}
	e.mu.Lock()
	e.rules = append(e.rules, &rule{Fault: f})
	e.mu.Unlock()
	if f.deed == doKill {
		e.poke(f.actor)
	}
}

// calls are the rules of a fault of the disk.
func (e *engine) calls(f Fault) []mappedtest.Rule {
	one := mappedtest.Rule{Op: f.op, Path: f.path, At: f.at, Err: f.err, Before: func() {
		e.note(f)
		switch f.deed {
		case doPanicCall:
			panic(&Injected{Fault: f})
		case doHangCall:
			e.stand(f.length)
		}
	}}
	if f.every == 1 && f.times == 0 {
		one.Forever = true
		return []mappedtest.Rule{one}
	}
	list := []mappedtest.Rule{one}
	for k := 1; f.every > 0 && k < f.times; k++ {
		one.At += f.every
		list = append(list, one)
	}
	return list
}

// later runs f after a while, unless the store has ended by then.
func (e *engine) later(d time.Duration, f func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.ended {
		e.timers = append(e.timers, time.AfterFunc(d, f))
	}
}

// Step is part of actors.Faults.
func (e *engine) Step(name string, kind actors.Step, done bool) {
	if done {
		e.watch.look()
		e.letGo(name)
	}
	hit := e.meets(func(r *rule) bool {
		switch r.deed {
		case doPanic, doHang, doKill:
			return !done && r.fits(name, kind)
		case doPanicAfter:
			return done && r.fits(name, kind)
		}
		return false
	})
	switch {
	case hit == nil:
	case hit.deed == doHang:
		e.stand(hit.length)
	default:
		panic(&Injected{Fault: *hit, Actor: name, Step: kind})
	}
}

func (r *rule) fits(name string, kind actors.Step) bool {
	if r.on == "" {
		return r.actor == name && kind != actors.StepStarted
	}
	return r.actor == name && r.on == kind
}

// meets counts an occasion and finds the fault that strikes there.
func (e *engine) meets(fits func(*rule) bool) *Fault {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return nil
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
		return nil
	}
	hit.struck++
	e.struck = append(e.struck, hit.String())
	return &hit.Fault
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

func (e *engine) note(f Fault) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.struck = append(e.struck, f.String())
}

// stand blocks until release, or for a while. After the end nobody would release.
func (e *engine) stand(length time.Duration) {
	e.mu.Lock()
	gate, ended := e.gate, e.ended
	e.mu.Unlock()
	if ended {
		return
	}
	var over <-chan time.Time
	if length > 0 {
		t := time.NewTimer(length)
		defer t.Stop()
		over = t.C
	}
	select {
	case <-gate:
	case <-over:
	}
}

// release lets everybody go who stands still.
func (e *engine) release() {
	e.mu.Lock()
	close(e.gate)
	e.gate = make(chan struct{})
	e.mu.Unlock()
}

// heal takes all faults away and lets everybody go.
func (e *engine) heal() {
	e.mu.Lock()
	for _, t := range e.timers {
		t.Stop()
	}
	e.timers, e.rules = nil, nil
	e.mu.Unlock()
	e.disk.Clear()
	e.release()
	e.resume()
	e.letAllGo()
}

// end is heal for good.
func (e *engine) end() {
	e.mu.Lock()
	e.ended = true
	e.mu.Unlock()
	e.heal()
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
