package actors

import (
	"context"
	"time"
)

const (
	closeLimits = 3  // HangTimeouts for which nothing may move while the store closes
	diskLimits  = 30 // and for which a disk may be at one thing: it may be slow
)

// closing is a Close that waits, and how long it does for a store that stands still.
type closing struct {
	s       *Store
	t       *tree // nil while it opens
	forEver bool  // or until the context ends
	tried   bool  // it has waited once in vain
	stood   time.Duration
}

// limit is how long nothing may move now. A call to the disk that has not
// returned shows nothing of how far it is: of those nobody can tell a slow one
// from one that hangs but by the time that it takes.
func (c *closing) limit() time.Duration {
	once := c.s.o.HangTimeout
	switch {
	case c.t == nil || c.t.lastStep.Load() != nil:
		return diskLimits * once
	case c.tried:
		return once
	case c.t.syncing.Load():
		return diskLimits * once
	}
	return closeLimits * once
}

// moved grows with what brings the end nearer.
func (c *closing) moved() int64 {
	if c.t == nil {
		if c.t = c.s.last.Load(); c.t == nil {
			return 0
		}
	}
	return c.t.watch.moved()
}

// await waits until done is closed, ctx ends, or nothing has moved for too long.
// The error is the context's, or ErrHung.
func (c *closing) await(ctx context.Context, done <-chan struct{}, moved func() int64) error {
	var look <-chan time.Time
	if !c.forEver {
		clock := time.NewTicker(max(c.s.o.HangTimeout/looksPerTimeout, 1))
		defer clock.Stop()
		look = clock.C
	}
	at, since := moved(), time.Now()
	for {
		select {
		case <-done:
			return nil
		case <-ctx.Done():
			select {
			case <-done: // both: it is done
				return nil
			default:
				c.stood = time.Since(since)
				return ctx.Err()
			}
		case now := <-look:
			if m := moved(); m != at {
				at, since = m, now
			} else if c.stood = now.Sub(since); c.stood >= c.limit() {
				return ErrHung
			}
		}
	}
}
