package actors

import (
	"hash/crc32"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
)

const (
	markInterval = time.Second // the durable mark is at most this far behind
	summaryBytes = 1 << 30     // so much log brings the next summary forward
)

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
		if err := c.t.rooms.progress.pass(c.t); err != nil {
			panic(err)
		}
	case *actor.Started:
		c.ticker = every(c.t.system, ctx.Self(), markInterval)
	case *actor.Restarting, *actor.Stopping:
		c.ticker.stop()
	}
}

// progress is what the store last wrote down about itself. It has one user at a
// time: the checkpoint actor, and close after that has gone.
type progress struct {
	rooms     *rooms
	fields    checkpoint.Checkpoint
	marked    int64     // flushed end of the last mark
	summaryAt int64     // dispatched end of the last summary
	summaried time.Time // when that was, monotonic
	stuck     error     // a mark or sync failed: nothing is claimed any more
}

// pass writes what is due.
func (p *progress) pass(t *tree) error {
	if p.stuck != nil {
		return nil
	}
	due := p.summaried.IsZero() || time.Since(p.summaried) >= t.o.FlushConsumeQueueThoroughInterval
	if behind := p.rooms.log.Dispatched() - p.summaryAt; behind > 0 && (due || behind >= summaryBytes) {
		if err := p.summary(t.dispatched.Load()); err != nil {
			p.stuck = err
			return err
		}
	}
	if err := p.mark(); err != nil {
		p.stuck = err
		return err
	}
	return nil
}

// summary syncs queues and index and writes down what that covers. The ends of
// the queues are read before the sync, so all units below them are on disk.
func (p *progress) summary(last *dispatchedRecord) error {
	r := p.rooms
	s := &checkpoint.QueueSummary{Dispatched: r.log.Dispatched(), IndexApplied: -1}
	if r.index != nil {
		s.IndexApplied = s.Dispatched
	}
	for q := range r.queues.All() {
		if q.Loaded() {
			s.Queues = append(s.Queues, checkpoint.QueueEnd{
				Topic: q.Topic(), QueueID: q.ID(), Kind: uint8(q.Kind()),
				MinOffset: q.MinOffset(), MaxOffset: q.MaxOffset()})
		}
	}
	if _, err := r.queues.Sync(); err != nil {
		return err
	}
	if r.index != nil {
		if err := r.index.Flush(); err != nil {
			return err
		}
		p.fields.IndexMsgTimestamp = r.index.FlushedEndTimestamp()
	}
	if err := checkpoint.WriteQueues(r.fs, r.layout, s); err != nil {
		return err
	}
	if last != nil && last.end <= s.Dispatched {
		p.fields.LogicsPhysicalOffset = last.start
		p.fields.LogicsMsgTimestamp = last.storeTimestamp
	}
	p.summaryAt, p.summaried = s.Dispatched, time.Now()
	p.marked = -1 // the fields have changed: a new mark must go with them
	return nil
}

// mark writes the durable mark and the checkpoint page that goes with it, if
// anything was flushed since the last one.
func (p *progress) mark() error {
	r := p.rooms
	start, end, ok := r.log.FlushedRecord()
	if end == p.marked || (!ok && end != 0) {
		return nil
	}
	m := checkpoint.Mark{FlushedEnd: end, LastRecordStart: -1}
	if ok {
		err := r.log.Reader().View(start, int(end-start), func(b []byte) error {
			m.LastRecordStart, m.LastRecordCRC = start, crc32.ChecksumIEEE(b)
			ts, err := record.StoreTimestampOf(b)
			p.fields.PhysicMsgTimestamp = ts
			return err
		})
		if err != nil {
			return nil // retention has just taken it; the next pass has a newer one
		}
	}
	m.Fields = p.fields.Digest()
	if err := checkpoint.WriteMark(r.fs, r.layout, m); err != nil {
		return err
	}
	if err := checkpoint.WriteCheckpoint(r.fs, r.layout.CheckpointFile(), p.fields); err != nil {
		return err
	}
	p.marked = end
	return nil
}
