package actors

import (
	"fmt"
	"sync"
	"time"
)

// slowCallback is how long a callback may hold up those behind it.
const slowCallback = 5 * time.Millisecond

// callbacks runs what callers want to be told, away from the actors. They run
// one after another, so a fast one costs no goroutine; one that takes its time
// is left alone with its goroutine, and another goes on with the rest. A
// callback that panics harms nobody else.
type callbacks struct {
	mu       sync.Mutex
	queue    []func()
	working  bool // a runner is there that is not held up
	open     int  // those that wait or run
	returned int64
	idle     chan struct{} // of who waits until none is open, closed then
	onPanic  func(error)
}

// runner works callbacks off.
type runner struct {
	c     *callbacks
	alarm *time.Timer
	began time.Time // of the callback that it is in, zero between them
	late  bool      // it was held up, and has been replaced
}

// run queues f and returns at once.
func (c *callbacks) run(f func()) {
	c.mu.Lock()
	c.queue = append(c.queue, f)
	c.open++
	c.start()
	c.mu.Unlock()
}

// start makes sure that somebody works the queue off; c.mu is held.
func (c *callbacks) start() {
	if c.working || len(c.queue) == 0 {
		return
	}
	c.working = true
	go (&runner{c: c}).work()
}

// work takes callbacks until there are none, or it was replaced.
func (r *runner) work() {
	r.alarm = time.AfterFunc(slowCallback, r.heldUp)
	defer r.leave()
	for {
		f := r.take()
		if f == nil {
			return
		}
		r.alarm.Reset(slowCallback)
		r.c.call(f)
	}
}

func (r *runner) take() func() {
	c := r.c
	c.mu.Lock()
	defer c.mu.Unlock()
	r.began = time.Time{}
	if r.late || len(c.queue) == 0 {
		return nil
	}
	f := c.queue[0]
	c.queue[0] = nil
	c.queue = c.queue[1:]
	r.began = time.Now()
	return f
}

// heldUp is the alarm: the callback has not returned.
func (r *runner) heldUp() {
	c := r.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.late || r.began.IsZero() || time.Since(r.began) < slowCallback {
		return // it rang for an earlier one
	}
	r.late, c.working = true, false
	c.start()
}

// leave ends the runner, also when a callback has ended its goroutine.
func (r *runner) leave() {
	r.alarm.Stop()
	c := r.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if !r.late {
		c.working = false
		c.start()
	}
}

func (c *callbacks) call(f func()) {
	defer c.back()
	defer func() {
		if reason := recover(); reason != nil && c.onPanic != nil {
			alone(func() { c.onPanic(fmt.Errorf("completion callback panicked: %v", reason)) })
		}
	}()
	f()
}
