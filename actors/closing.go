package actors

import (
	"context"
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"
)

// Close stops taking puts, answers those that were accepted, flushes,
// dispatches, and ends the store cleanly. If ctx ends first the store stops all
// the same, its next start recovers, and the error says so. Closing again waits
// for the same end.
//
// When Close returns nil all callbacks of PutAsync have returned, and nobody is
// called back any more. If only that has not come to pass, errors.Is(err,
// ErrCallbacks), and the store has ended for all that: ctx has ended, or it has no
// deadline and no callback has returned for three times HangTimeout. A Close that a
// callback calls waits for no callbacks; one for which it waits on another goroutine
// is one that waits for it.
//
// A Close whose ctx has no deadline ends as well if the store hangs: when
// nothing at all has moved for three times HangTimeout, or, while the disk is at
// work on what is last, for thirty times. Its error is a *HungError, the abort
// marker stays, and so does the lock, since whoever hangs may still write: it is
// given back when that returns, or the process ends.
func (s *Store) Close(ctx context.Context) error {
	s.mu.Lock()
	if s.closeCtx == nil {
		s.closeCtx = ctx
	}
	pid := s.pid.Load()
	s.mu.Unlock()
	if pid == nil {
		return nil // it was not spawned, or stops as soon as it is
	}
	c := &closing{s: s, t: s.last.Load()}
	if _, limited := ctx.Deadline(); limited || s.o.HangTimeout == 0 {
		c.forEver = true
	}
	if t := c.t; t != nil {
		if err := c.await(ctx, t.admission.close(ErrClosed), t.unanswered); errors.Is(err, ErrHung) {
			c.tried = true
		}
	}
	s.mailbox.PostSystemMessage(&actor.Stop{}) // to its PID it is a dead letter if it has gone
	if err := c.await(ctx, s.stopped, c.moved); err != nil {
		return s.giveUp(c, err)
	}
	s.shutdown()
	return errors.Join(s.stopErr, s.calledBack(ctx, c.forEver))
}

// calledBack waits until nobody is called back any more.
func (s *Store) calledBack(ctx context.Context, forEver bool) error {
	limit := closeLimits * s.o.HangTimeout
	if forEver {
		limit = 0
	}
	if err := s.calls.await(ctx, limit); err != nil {
		return fmt.Errorf("close: the store has ended: %w", err)
	}
	return nil
}

// unanswered moves when a put is answered or the log goes on.
func (t *tree) unanswered() int64 {
	return t.log().Appended() + t.log().Flushed() - t.admission.inFlight.Load()
}

// giveUp leaves a store behind that does not end. Nobody waits for it any more:
// what its actors have not come to is refused.
func (s *Store) giveUp(c *closing, cause error) error {
	hung := &HungError{}
	if t := c.t; t != nil {
		hung = t.watch.busy(c.stood)
		t.rooms.notifier.Close(ErrClosed)
		t.watch.refuse(func(message any) {
			t.refuse(message)
			s.replies.refuse(t.system, message, ErrClosed)
		})
		t.end()
	} else if errors.Is(cause, ErrHung) {
		hung.Actors = []HungEvent{{Actor: storeName, For: c.stood, Holds: "an opening that does not end"}}
	}
	if errors.Is(cause, ErrHung) {
		cause = hung
	} else if len(hung.Actors) > 0 {
		cause = fmt.Errorf("%w; %w", cause, hung)
	}
	return fmt.Errorf("close: not finished, the next start will recover: %w", cause)
}

// end tells everybody who waits for something of this tree that it is over.
func (t *tree) end() { t.ending.Do(func() { close(t.over) }) }

// leaving is why a tree is at its end: ErrClosed, or ErrRestarting where another
// one follows; nil while it is open.
func (t *tree) leaving() error {
	if cause := t.admission.closed.Load(); cause != nil {
		return *cause
	}
	return nil
}
