package actors

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/dispatch"
)

// sink is what the shards and the index have in common.
type sink interface {
	Apply(*dispatch.Window) error
	Applied() int64
}

// sinkRef is a sink, its actor, and whether it was parked.
type sinkRef struct {
	sink
	name   string
	pid    *actor.PID
	parked bool // dispatch goes on without it; only dispatch looks
}

// sinkActor applies windows. An error is a panic: its supervisor restarts it
// after a pause, and it asks for the windows again from where it stands (D1).
type sinkActor struct {
	t       *tree
	sink    sink
	name    string
	asked   bool // for a rewind, since the last window that fitted
	mailbox *batchMailbox[*putRequest]
}

// rewind asks dispatch to read again from the smallest Applied.
type rewind struct{}

// Receive is the actor.
func (s *sinkActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *dispatch.Window:
		s.apply(m)
	case *actor.Started:
		s.ask()
	case *actor.Stopped:
		s.mailbox.Close(s.t.refuse)
	}
}

func (s *sinkActor) apply(w *dispatch.Window) {
	defer s.t.windowDone(w)
	switch err := s.sink.Apply(w); {
	case err == nil:
		s.asked = false
	case errors.Is(err, dispatch.ErrHole):
		s.ask()
	default:
		panic(fmt.Errorf("%s at offset %d: %w", s.name, s.sink.Applied(), err))
	}
}

func (s *sinkActor) ask() {
	to := s.t.dispatchWake.target.Load()
	if s.asked || to == nil { // nil: the tree is just being spawned, all is at its place
		return
	}
	s.asked = true
	s.t.system.Root.Send(to, &rewind{})
}
