package actors

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"time"
)

// ErrCallbacks is what errors.Is finds when a store has ended and a callback, of
// PutAsync or of an event, has not returned.
var ErrCallbacks = errors.New("callbacks have not returned")

// back counts a callback that has returned, or ended its goroutine.
func (c *callbacks) back() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.returned++
	if c.open--; c.open == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// left is how many wait or run, how many have returned, and what is closed when
// none is left; nil if none is.
func (c *callbacks) left() (open int, returned int64, idle <-chan struct{}) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == 0 {
		return 0, c.returned, nil
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	return c.open, c.returned, c.idle
}

// await waits until all callbacks have returned. The error tells that ctx has
// ended first, or that none has returned for so long; 0 is for ever. Called by a
// callback it would wait for that one, and does not wait.
func (c *callbacks) await(ctx context.Context, limit time.Duration) error {
	if open, _, _ := c.left(); open == 0 || insideCallback() {
		return nil
	}
	for before := int64(-1); ; {
		open, returned, idle := c.left()
		var late <-chan time.Time
		switch {
		case open == 0:
			return nil
		case limit > 0 && returned == before:
			return fmt.Errorf("%w: %d of them, and none has for %v", ErrCallbacks, open, limit)
		case limit > 0:
			late = time.After(limit)
		}
		before = returned
		select {
		case <-idle:
		case <-late:
		case <-ctx.Done():
			if open, _, _ := c.left(); open > 0 {
				return fmt.Errorf("%w: %d of them: %w", ErrCallbacks, open, ctx.Err())
			}
		}
	}
}

// What callbacks and events run below.
var (
	callName  = nameOfFunc((*callbacks).call)
	asideName = nameOfFunc(aside)
)

func nameOfFunc(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

// insideCallback tells whether the goroutine runs a callback or an event.
func insideCallback() bool {
	for skip := 0; ; {
		var at [64]uintptr
		n := runtime.Callers(skip, at[:])
		for frames := runtime.CallersFrames(at[:n]); n > 0; {
			f, more := frames.Next()
			if f.Function == callName || strings.HasPrefix(f.Function, asideName+".func") {
				return true
			}
			if !more {
				break
			}
		}
		if n < len(at) {
			return false
		}
		skip += n
	}
}
