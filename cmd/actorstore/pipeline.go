package main

import (
	"context"
	"errors"

	"github.com/actorstore/actorstore"
)

// pipeline keeps a number of puts under way and takes their answers in the order
// in which they were sent.
type pipeline struct {
	store  *actorstore.Store
	ring   []sending
	head   int
	count  int
	answer func(*sending, actorstore.PutResult) error
}

// sending is a put, or a batch of them, that is not answered yet. Its messages
// must stay as they are until then.
type sending struct {
	messages []actorstore.Message
	lines    []int64 // the input line of each
	pending  actorstore.Pending
}

func newPipeline(s *actorstore.Store, window int, answer func(*sending, actorstore.PutResult) error) *pipeline {
	return &pipeline{store: s, ring: make([]sending, window), answer: answer}
}

// send begins a put. Where the window is full, or the store has enough bytes
// under way, it waits for the oldest answer first.
func (p *pipeline) send(ctx context.Context, messages []actorstore.Message, lines []int64) error {
	if p.count == len(p.ring) {
		if err := p.oldest(ctx); err != nil {
			return err
		}
	}
	for {
		pending, err := p.begin(messages)
		if err == nil {
			p.ring[(p.head+p.count)%len(p.ring)] = sending{messages, lines, pending}
			p.count++
			return nil
		}
		if !errors.Is(err, actorstore.ErrBusy) || p.count == 0 {
			return err
		}
		if err := p.oldest(ctx); err != nil {
			return err
		}
	}
}

func (p *pipeline) begin(messages []actorstore.Message) (actorstore.Pending, error) {
	if len(messages) == 1 {
		return p.store.Begin(&messages[0])
	}
	return p.store.BeginBatch(messages)
}

// oldest waits for the answer that has been due for longest.
func (p *pipeline) oldest(ctx context.Context) error {
	s := &p.ring[p.head]
	p.head, p.count = (p.head+1)%len(p.ring), p.count-1
	result, err := s.pending.Wait(ctx)
	if err != nil {
		return err
	}
	return p.answer(s, result)
}

// drain waits for all answers. Puts that were sent before an interrupt are
// waited for too: they are under way and will be answered.
func (p *pipeline) drain(ctx context.Context) error {
	var errs []error
	for p.count > 0 {
		errs = append(errs, p.oldest(ctx))
	}
	return errors.Join(errs...)
}
