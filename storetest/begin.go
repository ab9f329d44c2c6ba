package storetest

import (
	"context"
	"sync"

	"github.com/actorstore/actorstore"
)

// Pending is a put that was begun; its answer is noted when Wait returns. Until
// then it counts as unanswered.
type Pending struct {
	actorstore.Pending
	note func(actorstore.PutResult, error)
}

// Wait gives the answer; call it once.
func (p Pending) Wait(ctx context.Context) (actorstore.PutResult, error) {
	r, err := p.Pending.Wait(ctx)
	if p.note != nil {
		p.note(r, err)
	}
	return r, err
}

// Begin is the store's, noted in the history.
func (s *Store) Begin(m *actorstore.Message) (Pending, error) {
	s.engine.turns.caller(m)
	note := s.noted(*m)
	p, err := s.Store.Begin(m)
	return pendingOf(p, note, err), err
}

// BeginBatch is the store's, noted in the history.
func (s *Store) BeginBatch(batch []actorstore.Message) (Pending, error) {
	s.inTurn(batch)
	note := s.noted(batch...)
	p, err := s.Store.BeginBatch(batch)
	return pendingOf(p, note, err), err
}

// PutAsync is the store's, noted in the history before done is called.
func (s *Store) PutAsync(m *actorstore.Message, done func(actorstore.PutResult)) error {
	s.engine.turns.caller(m)
	note := s.noted(*m)
	err := s.Store.PutAsync(m, func(r actorstore.PutResult) {
		note(r, r.Err)
		done(r)
	})
	if err != nil { // refused, and done is not called
		note(actorstore.PutResult{}, err)
	}
	return err
}

func pendingOf(p actorstore.Pending, note func(actorstore.PutResult, error), err error) Pending {
	if err != nil { // refused, and nobody waits
		note(actorstore.PutResult{}, err)
		note = nil
	}
	return Pending{p, note}
}

// noted begins a put of messages that are answered together. The result notes the
// answer, the first time, and looks at I6.
func (s *Store) noted(messages ...actorstore.Message) func(actorstore.PutResult, error) {
	puts := make([]*put, len(messages))
	for i := range messages {
		puts[i] = s.History.begin(&messages[i])
	}
	var once sync.Once
	return func(r actorstore.PutResult, err error) {
		once.Do(func() {
			for i, p := range puts {
				s.History.end(p, i, r, err)
			}
			if len(messages) > 0 {
				s.answered(&messages[0], r, err)
			}
		})
	}
}
