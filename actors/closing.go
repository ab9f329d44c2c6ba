package actors

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Close stops taking puts, answers those that were accepted, flushes,
// dispatches, and ends the store cleanly. If ctx ends first the store stops all
// the same, its next start recovers, and the error says so. Closing again waits
// for the same end.
//
// A Close whose ctx has no deadline ends as well if the store hangs: when
// nothing at all has moved for three times HangTimeout. Its error is a
// *HungError, the abort marker stays, and so does the lock, since whoever hangs
// may still write: it is given back when that returns, or the process ends.
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
	patience := s.o.stillFor()
	if _, limited := ctx.Deadline(); limited {
		patience = 0
	}
	t := s.last.Load()
	if t != nil {
		if err := await(ctx, t.admission.close(), t.unanswered, patience); errors.Is(err, ErrHung) {
			patience = s.o.HangTimeout // the rest has that long to stop
		}
	}
	s.system.Root.Stop(pid)
	moved := func() int64 { return 0 }
	if t != nil {
		moved = t.watch.moved
	}
	if err := await(ctx, s.stopped, moved, patience); err != nil {
		return s.giveUp(t, err)
	}
	s.shutdown()
	return s.stopErr
}

// await waits until done is closed, ctx ends, or nothing has moved for as long
// as patience, 0 for ever. The error is the context's, or ErrHung.
func await(ctx context.Context, done <-chan struct{}, moved func() int64, patience time.Duration) error {
	var look <-chan time.Time
	if patience > 0 {
		clock := time.NewTicker(max(patience/(closeLimits*looksPerTimeout), 1))
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
				return ctx.Err()
			}
		case now := <-look:
			if m := moved(); m != at {
				at, since = m, now
			} else if now.Sub(since) >= patience {
				return ErrHung
			}
		}
	}
}

// unanswered moves when a put is answered or the log goes on.
func (t *tree) unanswered() int64 {
	return t.log().Appended() + t.log().Flushed() - t.admission.inFlight.Load()
}

// giveUp leaves a store behind that does not end. Nobody waits for it any more:
// what its actors have not come to is refused.
func (s *Store) giveUp(t *tree, cause error) error {
	hung := &HungError{}
	if t != nil {
		hung = t.watch.busy()
		t.rooms.notifier.Close(ErrClosed)
		t.watch.refuse(func(message any) {
			t.refuse(message)
			refuseAsked(t.system, message, ErrClosed)
		})
	}
	s.end()
	if errors.Is(cause, ErrHung) {
		cause = hung
	} else if len(hung.Actors) > 0 {
		cause = fmt.Errorf("%w; %w", cause, hung)
	}
	return fmt.Errorf("close: not finished, the next start will recover: %w", cause)
}

// end tells everybody who waits for the store that it is over.
func (s *Store) end() { s.ending.Do(func() { close(s.over) }) }
