package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// allocatorRetry is how soon a segment that could not be made is tried again.
const allocatorRetry = time.Second

// allocatorActor keeps the next segment and the pages in front of the writer
// ready. It is woken when the writer has come far enough; after a failure it
// tries again by itself, so a store whose disk was full heals without a restart.
type allocatorActor struct {
	t      *tree
	retry  *time.Timer
	failed time.Time // when the last try failed
}

// Receive is the actor.
func (a *allocatorActor) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *wakeUp, *actor.Started:
		a.t.allocatorWake.clear()
		a.prepare()
	case *actor.Restarting, *actor.Stopping:
		if a.retry != nil {
			a.retry.Stop()
		}
	}
}

func (a *allocatorActor) prepare() {
	if time.Since(a.failed) < allocatorRetry {
		return // its timer is running
	}
	alloc := a.t.rooms.alloc
	alloc.Populate()
	made, err := alloc.Prepare()
	if err != nil {
		say(a.t.o.Logger.Warn().Err(err), "next segment")
		a.failed = time.Now()
		a.retry = time.AfterFunc(allocatorRetry, func() { alone(a.t.allocatorWake.ring) })
		return
	}
	if made != nil && a.t.o.Events.SegmentCreated != nil {
		a.t.o.Events.SegmentCreated(made.Path())
	}
	alloc.Populate() // the new segment may be in the window already
	if err := alloc.Zero(time.Now()); err != nil {
		say(a.t.o.Logger.Warn().Err(err), "zeros ahead of the writer")
		if failed := a.t.log().Failed(); failed != nil {
			a.t.failed(failed)
		}
	}
}
