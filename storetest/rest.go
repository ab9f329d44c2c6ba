package storetest

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/actorstore/actorstore/actors"
)

// rest waits until all that was put is dispatched, as far as the store can.
func (s *Store) rest(ctx context.Context) error {
	state, err := s.State()
	if err != nil {
		return nil // closed: everything is at rest
	}
	if readOnly(state) {
		return nil
	}
	if err := s.dispatched(ctx, state); err != nil && !errors.Is(err, actors.ErrClosed) && !readOnlyNow(s) {
		state, _ = s.State()
		return fmt.Errorf("not dispatched: %w; %+v", err, state.Watermarks)
	}
	return nil
}

// stillness is how long no watermark moves before a store that cannot come to rest,
// since somebody in it was told to stand still, counts as one at rest.
const stillness = 250 * time.Millisecond

// dispatched waits until all is dispatched, or as much as is while a hang stands.
func (s *Store) dispatched(ctx context.Context, was actors.State) error {
	for {
		part, cancel := context.WithTimeout(ctx, stillness)
		err := s.Dispatched(part)
		cancel()
		if err == nil || ctx.Err() != nil || !errors.Is(err, context.DeadlineExceeded) {
			return err
		}
		is, closed := s.State()
		if closed != nil {
			return closed
		}
		if is.Watermarks == was.Watermarks && s.engine.standing.Load() > 0 {
			return nil
		}
		was = is
	}
}

func readOnlyNow(s *Store) bool {
	state, err := s.State()
	return err == nil && readOnly(state)
}
