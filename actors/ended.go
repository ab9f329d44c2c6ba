package actors

import (
	"context"
	"fmt"
	"time"
)

// failed tells that the store actor itself has failed. Its parent decides what
// follows: it is restarted, and opens the store again, or it is stopped. Resumed
// it is not: what it had in hand is lost, and with it perhaps an actor that was to
// come back.
func (s *Store) failed(reason any) {
	cause, ok := reason.(error)
	if !ok {
		cause = fmt.Errorf("%v", reason)
	}
	err := fmt.Errorf("the store actor failed: %w", cause)
	s.why.Store(&err)
	s.pause = s.failing.fail(time.Now())
	if tell := s.o.Events.ActorRestarted; tell != nil {
		tell(ActorEvent{Actor: storeName, Reason: reason, Failures: s.failing.failures})
	}
	say(s.o.Logger.Error().Str("actor", storeName).Any("reason", fmt.Sprint(reason)).
		Int("failures", s.failing.failures), "actor failed")
}

// served tells whether the store has been open.
func (s *Store) served() bool {
	select {
	case <-s.opened:
		return s.err == nil
	default:
		return false
	}
}

// reason is why the store has ended though nobody closed it, nil if somebody did.
func (s *Store) reason() error {
	if why := s.why.Load(); why != nil {
		return *why
	}
	return nil
}

// closed is ErrClosed, and the reason.
func (s *Store) closed() error {
	if why := s.reason(); why != nil {
		return fmt.Errorf("%w: %w", ErrClosed, why)
	}
	return ErrClosed
}

// closing is the context for the last steps.
func (s *Store) closing() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closeCtx == nil {
		return context.Background()
	}
	return s.closeCtx
}
