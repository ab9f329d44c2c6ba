package actors

import (
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/progress"
)

const markInterval = time.Second // the durable mark is at most this far behind

// checkpointActor writes down how far the store has come: every second the
// durable mark, and now and then, after syncing queues and index, the queue
// summary and RocketMQ's checkpoint page.
type checkpointActor struct {
	t      *tree
	ticker *ticker
}

// Receive is the actor.
func (c *checkpointActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *tick:
		m.took()
		if err := c.t.rooms.progress.Pass(c.t.look(), time.Now()); err != nil {
			panic(err)
		}
	case *actor.Started:
		c.ticker = every(c.t.system, ctx.Self(), markInterval, c.t.o.Faults)
	case *actor.Restarting, *actor.Stopping:
		c.ticker.stop()
	}
}

// look is how far the sinks have come; what a parked one has not taken in is not
// claimed.
func (t *tree) look() progress.Look {
	return progress.Look{Last: t.dispatched.Load(), Queues: t.queuesApplied(), Index: t.indexApplied()}
}

// writesProgress goes on from what recovery has left. The writer has one user at a
// time: the checkpoint actor, and close after that has gone.
func (r *rooms) writesProgress(o *Options) *progress.Writer {
	return progress.New(progress.Options{
		FS: r.fs, Layout: r.layout, Log: r.log, Queues: r.queues, Index: r.index,
		SyncFlush: o.FlushDiskType == SyncFlush, Interval: o.FlushConsumeQueueThoroughInterval,
		ReadOnly: r.report.ReadOnly != nil, Remember: r.remember,
	}, r.report.Checkpoint, r.report.Last)
}
