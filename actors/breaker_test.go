package actors

import (
	"sync"
	"time"
)

// breaker stands behind the seam of faults: an actor that is poked does what a
// test has left for it. Package storetest, which has more of this, cannot be
// imported here: it imports this package.
type breaker struct{ deeds sync.Map } // func() by the name of the actor

func (b *breaker) Step(name string, message Step, done bool) {
	if message != StepPoke || done {
		return
	}
	if deed, ok := b.deeds.LoadAndDelete(name); ok {
		deed.(func())()
	}
}

func (b *breaker) Signal(_ string, _ Step, send, _ func()) { send() }

// poke lets an actor do something, once.
func (r *rig) poke(name string, deed func()) {
	r.t.Helper()
	r.breaker.deeds.Store(name, deed)
	if err := r.s.Poke(name); err != nil {
		r.t.Errorf("poke %s: %v", name, err)
	}
}

// kill lets an actor panic, once; unless it is dead already.
func (r *rig) kill(name string) {
	r.t.Helper()
	r.poke(name, func() { panic("killed") })
}

// hold keeps an actor busy until the result is called.
func (r *rig) hold(name string) (release func()) {
	r.t.Helper()
	inside, gate := make(chan struct{}), make(chan struct{})
	r.poke(name, func() { close(inside); <-gate })
	select {
	case <-inside:
	case <-time.After(patience):
		r.t.Fatalf("%s does not stand still", name)
	}
	release = sync.OnceFunc(func() { close(gate) })
	r.t.Cleanup(release) // before the store's
	return release
}
