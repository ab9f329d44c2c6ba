package storetest

import (
	"context"
	"fmt"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/flusher"
)

// Put is the store's, noted in the history. A PUT_OK that says more than is true
// breaks I6, which Check then tells.
func (s *Store) Put(ctx context.Context, m *actorstore.Message) (actorstore.PutResult, error) {
	s.engine.turns.caller(m)
	defer s.engine.turns.caller(m) // others are answered at the same moment
	note := s.noted(*m)
	r, err := s.Store.Put(ctx, m)
	note(r, err)
	return r, err
}

// PutBatch is the store's, noted in the history.
func (s *Store) PutBatch(ctx context.Context, batch []actorstore.Message) (actorstore.PutResult, error) {
	s.inTurn(batch)
	defer s.inTurn(batch)
	note := s.noted(batch...)
	r, err := s.Store.PutBatch(ctx, batch)
	note(r, err)
	return r, err
}

// inTurn waits for the turn of a batch.
func (s *Store) inTurn(batch []actorstore.Message) {
	if len(batch) > 0 {
		s.engine.turns.caller(&batch[0])
	}
}

// answered checks I6 at the moment of the answer.
func (s *Store) answered(m *actorstore.Message, r actorstore.PutResult, err error) {
	if err != nil || s.options.FlushDiskType != actorstore.SyncFlush {
		return
	}
	if wait, ok := m.Properties.Get(actorstore.PropertyWait); ok && wait == "false" {
		return
	}
	state, closed := s.State()
	if closed != nil {
		return
	}
	for _, v := range durable(r, state.Watermarks.Flushed) {
		s.History.breaks(v)
	}
}

// durable is I6 for an answer and the watermark behind it.
func durable(r actorstore.PutResult, flushed int64) []Violation {
	if r.Durability >= flusher.Flushed && r.End() <= flushed {
		return nil
	}
	return []Violation{{"I6", fmt.Sprintf("PUT_OK (%v) for [%d, %d) while flushed is %d", r.Durability, r.PhysicalOffset, r.End(), flushed)}}
}

// DeleteTopic is the store's; the history forgets what was in the topic.
func (s *Store) DeleteTopic(ctx context.Context, topic string) error {
	s.History.delete(topic) // from now on it may be gone
	err := s.Store.DeleteTopic(ctx, topic)
	s.History.delete(topic)
	return err
}
