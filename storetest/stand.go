package storetest

import "time"

// hang blocks until a gate opens, or for a while.
func (e *engine) hang(gate <-chan struct{}, length time.Duration) {
	e.standing.Add(1)
	defer e.standing.Add(-1)
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
	e.heals++
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
