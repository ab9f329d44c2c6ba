package actors

import (
	"fmt"
	"sync"
	"time"
)

// slowCallback is how long a callback may hold up those behind it.
const slowCallback = 5 * time.Millisecond

// callbacks runs what callers want to be told, away from the actors. They run
// one after another, so a fast one costs no goroutine; when one does not return,
// another runner takes over those behind it. A callback that panics harms
// nobody else.
type callbacks struct {
	mu      sync.Mutex
	queue   []func()
	running int
	onPanic func(error)
}

// run queues f and returns at once.
func (c *callbacks) run(f func()) {
	c.mu.Lock()
	c.queue = append(c.queue, f)
	start := c.running == 0
	if start {
		c.running++
	}
	c.mu.Unlock()
	if start {
		go c.work()
	}
}

// work is one runner. While it is inside a callback for too long, its alarm
// starts another for the rest.
func (c *callbacks) work() {
	alarm := time.AfterFunc(slowCallback, func() {
		c.mu.Lock()
		start := len(c.queue) > 0
		if start {
			c.running++
		}
		c.mu.Unlock()
		if start {
			c.work()
		}
	})
	for {
		c.mu.Lock()
		if len(c.queue) == 0 {
			c.running--
			c.mu.Unlock()
			alarm.Stop()
			return
		}
		f := c.queue[0]
		c.queue[0] = nil
		c.queue = c.queue[1:]
		c.mu.Unlock()
		alarm.Reset(slowCallback)
		c.call(f)
	}
}

func (c *callbacks) call(f func()) {
	defer func() {
		if reason := recover(); reason != nil && c.onPanic != nil {
			c.onPanic(fmt.Errorf("completion callback panicked: %v", reason))
		}
	}()
	f()
}
