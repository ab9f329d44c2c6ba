package storetest

import (
	"maps"
	"slices"
	"time"
)

// clock is the wall clock of a store and the ticks of its actors.
type clock struct {
	real   func() time.Time
	paused bool
	at     time.Time     // where it stands
	behind time.Duration // how far pauses have put it back
	ticks  map[string]func()
}

// now is Options.Now of the store.
func (e *engine) now() time.Time {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.clock.paused {
		return e.clock.at
	}
	return e.clock.real().Add(-e.clock.behind)
}

func (e *engine) pause() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c := &e.clock; !c.paused && !e.ended {
		c.at, c.paused = c.real().Add(-c.behind), true
		c.ticks = make(map[string]func())
	}
}

// resume lets the clock go on from where it stands, and the ticks come that were
// due meanwhile.
func (e *engine) resume() {
	e.mu.Lock()
	c := &e.clock
	ticks := c.ticks
	if c.paused {
		c.behind = c.real().Sub(c.at)
	}
	c.paused, c.ticks = false, nil
	e.mu.Unlock()
	for _, actor := range slices.Sorted(maps.Keys(ticks)) { // in the same order on each run
		ticks[actor]()
	}
}

// hold keeps a tick while the clock stands still.
func (e *engine) hold(actor string, send func()) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.clock.paused {
		return false
	}
	e.clock.ticks[actor] = send
	return true
}
