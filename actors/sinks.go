package actors

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/recoverer"
)

// sink is what the shards and the index have in common.
type sink interface {
	Apply(*dispatch.Window) error
	Applied() int64
}

// sinkRef is a sink and its actor. Only dispatch looks at the flags, or the
// store while there is no dispatch.
type sinkRef struct {
	sink
	name   string
	at     placeBox
	given  atomic.Int64 // end of the windows that it got, 0 while away
	away   bool         // it gets no windows: it failed, hangs, catches up, or is parked
	parked bool         // it does not come back; nobody waits for it
}

// leave takes a sink out of the flow.
func (s *sinkRef) leave() {
	s.away = true
	s.given.Store(0)
}

// sinkActor applies windows. An error is a panic: its supervisor restarts it
// after a pause, and dispatch goes on without it. It then reads the log itself
// until it is near the end and gets windows again, so a sink that cannot write
// for a while holds up nobody else, and nothing is left out (D1).
type sinkActor struct {
	t       *tree
	sink    sink
	name    string
	asked   bool            // for a rewind, since the last window that fitted
	behind  bool            // catching up
	own     *dispatch.Reput // while it does
	window  dispatch.Window // of own
	mailbox *batchMailbox[oneByOne]
}

type (
	// rewind asks dispatch to read again from the smallest Applied.
	rewind struct{}
	// sinkAway tells dispatch to go on without a sink.
	sinkAway struct {
		name string
		why  absence
	}
	// sinkBack tells dispatch that a sink has caught up.
	sinkBack struct{ name string }
	// catchUp is what a sink sends itself while it catches up, so that it can
	// be stopped in between.
	catchUp struct{}
	// fallBehind tells a sink that dispatch goes on without it.
	fallBehind struct{}
)

// absence is why dispatch goes on without a sink.
type absence uint8

const (
	awayFailed absence = iota // it is restarted, catches up and reports back
	awayHangs                 // what it has not come to is taken from it
	awayParked                // it does not come back
)

// nearEnd is how far behind confirm a sink may be to get windows again.
const nearEnd = 1 << 20

// Receive is the actor.
func (s *sinkActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *dispatch.Window:
		s.apply(m)
	case *actor.Started:
		// Not at once: a failure here would keep the windows that are queued, and
		// others wait for those.
		s.behind = true
		ctx.Send(ctx.Self(), &catchUp{})
	case *fallBehind:
		if !s.behind { // or it will report back anyway
			s.behind = true
			ctx.Send(ctx.Self(), &catchUp{})
		}
	case *catchUp:
		if s.sink.Applied() >= s.t.log().Confirm() || s.catchUp() {
			s.own, s.behind = nil, false
			s.tell(&sinkBack{s.name})
			return
		}
		ctx.Send(ctx.Self(), &catchUp{})
	case *actor.Stopped:
		s.t.quietly(func() { s.mailbox.Close(s.t.refuse) })
	}
}

func (s *sinkActor) apply(w *dispatch.Window) {
	defer s.t.windowDone(w)
	s.t.step(s.name, StepWindow, false)
	switch err := s.sink.Apply(w); {
	case err == nil:
		s.asked = false
	case !errors.Is(err, dispatch.ErrHole):
		s.fail(err)
	case !s.behind && !s.asked:
		s.asked = true
		s.tell(&rewind{})
	}
}

// catchUp reads and applies one window; true when that was about the last one.
// The first one is read here however near the end is: if it is what fails, it
// does so without a window that others wait for.
func (s *sinkActor) catchUp() (near bool) {
	if s.own == nil {
		s.own = s.t.reputFor(s.name, s.sink.Applied())
	}
	from := s.own.Pos()
	err := s.own.Read(&s.window, s.t.log().Confirm())
	if err == nil {
		err = s.sink.Apply(&s.window)
	}
	if err != nil {
		s.fail(err)
	}
	if s.name == indexName {
		s.t.tellIndexing(from, s.own.Pos())
	}
	// What recovery has read is not for the queues once more: it knew more than they.
	return s.own.Pos() >= s.t.rooms.report.End && s.t.log().Confirm()-s.own.Pos() <= nearEnd
}

// tellIndexing tells how far the index has come that was far behind at opening.
func (t *tree) tellIndexing(from, to int64) {
	r := &t.rooms.report
	if tell := t.o.Events.Recovery; tell != nil && r.IndexFrom >= 0 && from < r.End {
		tell(RecoveryEvent{Phase: string(recoverer.PhaseIndex), Done: min(to, r.End) - r.IndexFrom, Total: r.IndexBehind()})
	}
}

func (s *sinkActor) fail(err error) {
	panic(fmt.Errorf("%s at offset %d: %w", s.name, s.sink.Applied(), err))
}

func (s *sinkActor) tell(message any) { s.t.toDispatch(message) }

func (t *tree) sinkNamed(name string) *sinkRef {
	for _, s := range t.sinks {
		if s.name == name {
			return s
		}
	}
	return nil
}

const indexName = "index"

// indexAway tells whether the index lacks what the queues have; dispatch's.
func (t *tree) indexAway() bool {
	s := t.sinkNamed(indexName)
	return s != nil && s.away
}

// queuesApplied is the end of the log that all queues hold, parked shards too.
func (t *tree) queuesApplied() int64 {
	least := t.log().Confirm()
	for _, s := range t.sinks {
		if s.name != indexName {
			least = min(least, s.Applied())
		}
	}
	return least
}

// indexApplied is the end of the log that the index holds, -1 without one.
func (t *tree) indexApplied() int64 {
	if s := t.sinkNamed(indexName); s != nil {
		return s.Applied()
	}
	return -1
}
