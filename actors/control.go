package actors

import (
	"context"
	"errors"
	"time"

	"github.com/actorstore/actorstore/reader"
)

// Reader is the read side of the store; it works without any actor. A store that
// was opened anew, because its supervisor had failed, has another one.
func (s *Store) Reader() (*reader.Reader, error) {
	t, err := s.running()
	if err != nil {
		return nil, err
	}
	return t.rooms.reader, nil
}

// Notifier tells when queues grow; of a store that was opened anew another one does.
func (s *Store) Notifier() (*reader.Notifier, error) {
	t, err := s.running()
	if err != nil {
		return nil, err
	}
	return t.rooms.notifier, nil
}

// running is the open store.
func (s *Store) running() (*tree, error) {
	if t := s.tree.Load(); t != nil {
		return t, nil
	}
	if s.ended.Load() {
		return nil, s.closed()
	}
	if s.served() {
		return nil, ErrRestarting // it opens anew
	}
	return nil, ErrNotReady
}

// State is how the store is at this moment.
func (s *Store) State() (State, error) {
	t, err := s.running()
	if err != nil {
		return State{}, err
	}
	log := t.log()
	state := State{
		Watermarks: Watermarks{Min: log.Min(), Dispatched: log.Dispatched(), Confirm: log.Confirm(),
			Flushed: log.Flushed(), Appended: log.Appended()},
		InFlight: t.admission.inFlight.Load(), Damaged: t.rooms.damaged.Load(), FlushType: s.o.FlushDiskType,
		Parked: t.watch.parkedNow(),
	}
	if hung := t.hung.Load(); hung != nil {
		state.Hung = hung.Actors
	}
	if refusal := t.refused(); refusal != nil {
		state.ReadOnly = refusal.err
	}
	return state, nil
}

// Flush makes everything durable that was put before, whatever the flush type.
func (s *Store) Flush(ctx context.Context) error {
	t, err := s.running()
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	t.flusher.Load().PostUserMessage(&flushNow{func(err error) { done <- err }})
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	case <-t.over:
		return t.leaving()
	}
}

// Dispatched waits until everything that was put before stands in its queues
// and in the index. If one of them is parked in front of that it waits for the
// others, and errors.Is(err, ErrParked).
func (s *Store) Dispatched(ctx context.Context) error {
	t, err := s.running()
	if err != nil {
		return err
	}
	end := t.log().Appended()
	if err := s.dispatchedTo(ctx, t, end); err != nil {
		return err
	}
	return t.parkedBefore(end)
}

// dispatchedTo looks often at first and then less: it mostly takes well under a
// millisecond.
func (s *Store) dispatchedTo(ctx context.Context, t *tree, end int64) error {
	for pause := 20 * time.Microsecond; t.log().Dispatched() < end; pause = min(2*pause, 5*time.Millisecond) {
		if err := t.writable(); err != nil && t.log().Confirm() < end {
			return err
		}
		t.dispatchWake.ring()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-t.over:
			return t.leaving()
		case <-time.After(pause):
		}
	}
	return nil
}

// DeleteTopic removes a topic: its queues are gone, its records are not found
// any more and leave with their segments. Puts to it are refused meanwhile; a
// later put starts the topic anew at offset 0. If ctx ends first the topic is
// still there, or its deletion goes on by itself. A topic that is not there is no
// error.
func (s *Store) DeleteTopic(ctx context.Context, topic string) error {
	t, err := s.running()
	if err != nil {
		return err
	}
	if !s.deleting.start(topic) {
		return beingDeleted(topic)
	}
	end, err := s.barrier(ctx, t, "")
	if err == nil {
		err = t.writable() // else puts of the topic may stand behind the end, and come back
	}
	if err == nil {
		err = s.dispatchedTo(ctx, t, end)
	}
	if err == nil {
		err = apart(func() error { return t.rooms.deleted.add(topic, end) })
	}
	if err != nil { // nothing has changed
		s.deleting.end(topic)
		return err
	}
	done := make(chan error, 1)
	go func() { // from here on it is to be finished before the next put
		err := errGoexit // if it does not come to its end
		defer func() {
			s.deleting.end(topic)
			done <- err
		}()
		err = guarded(func() error { return s.forget(t, topic) })
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// forget takes the queues away, and then the numbers that their puts had.
func (s *Store) forget(t *tree, topic string) error {
	done := make(chan error, 1)
	for {
		t.toDispatch(&forgetTopic{topic, func(err error) { done <- err }})
		select {
		case err := <-done:
			if errors.Is(err, ErrRestarting) && t.leaving() == nil { // dispatch is asked again when it is back
				time.Sleep(time.Millisecond)
				continue
			}
			if err != nil {
				return err
			}
		case <-t.over:
			return t.leaving()
		}
		break
	}
	t.rooms.notifier.Delete(topic)
	for { // an append actor that dies meanwhile counts the offsets anew, or is asked again
		_, err := s.barrier(context.Background(), t, topic)
		if !errors.Is(err, ErrRestarting) || t.leaving() != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

// barrier gives the end of the log behind all puts that came before.
func (s *Store) barrier(ctx context.Context, t *tree, forget string) (int64, error) {
	type answer struct {
		end int64
		err error
	}
	done := make(chan answer, 1)
	t.appender().PostUserMessage(&barrier{forget, func(end int64, err error) { done <- answer{end, err} }})
	select {
	case a := <-done:
		return a.end, a.err
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-t.over:
		return 0, t.leaving()
	}
}
