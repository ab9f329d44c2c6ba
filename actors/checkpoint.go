package actors

import (
	"errors"
	"hash/crc32"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/recoverer"
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
		c.ticker = every(c.t.system, ctx.Self(), markInterval, c.t.o.Faults)
	case *actor.Restarting, *actor.Stopping:
		c.ticker.stop()
	}
}

// progress is what the store last wrote down about itself. It has one user at a
// time: the checkpoint actor, and close after that has gone.
type progress struct {
	rooms     *rooms
	fields    checkpoint.Checkpoint
	marked    int64                  // flushed end of the last mark
	summaryAt int64                  // dispatched end of the last summary
	summaried time.Time              // when that was, monotonic
	next      *summary               // taken, but the log is not yet flushed so far
	unsynced  error                  // a sync of queues or index failed: no summary claims them any more
	renew     bool                   // a mark failed, and what it left on disk is unknown
	page      *checkpoint.Checkpoint // goes with the mark on disk, but is not written yet
	pageLast  int64                  // start of the last record below that mark
	onDisk    checkpoint.Checkpoint  // the page as it was written last
	syncFlush bool                   // how the log is written
	proven    atomic.Int64           // start of the record that the mark on disk counts by
}

// summary is a look at the queues at one moment.
type summary struct {
	checkpoint.QueueSummary
	confirm int64 // units may stand for records up to here
	last    *dispatchedRecord
}

// pass writes what is due. What fails is tried again in the next pass, each time
// in a way that needs nothing of the failed one; only a failed sync of queues and
// index is final.
func (p *progress) pass(t *tree) error {
	due := p.summaried.IsZero() || time.Since(p.summaried) >= t.o.FlushConsumeQueueThoroughInterval
	behind := t.queuesApplied() - p.summaryAt
	if p.next == nil && behind > 0 && (due || behind >= summaryBytes) {
		p.next = p.take(t)
	}
	return errors.Join(p.writeSummary(), p.mark(), p.rooms.remember())
}

// take looks at the ends of the queues: all units below them are in the files.
// What a parked sink has not taken in is not claimed.
func (p *progress) take(t *tree) *summary {
	r := p.rooms
	s := &summary{last: t.dispatched.Load()}
	s.Dispatched, s.IndexApplied = t.queuesApplied(), t.indexApplied()
	for q := range r.queues.All() {
		if q.Loaded() {
			s.Queues = append(s.Queues, recoverer.EndOfQueue(q))
		}
	}
	s.confirm = r.log.Confirm() // after the ends: no unit stands for a record above
	return s
}

// writeSummary syncs queues and index and writes down what that covers, once the
// records that the units stand for are durable themselves.
func (p *progress) writeSummary() error {
	s, r := p.next, p.rooms
	if s == nil || p.unsynced != nil || r.log.Flushed() < s.confirm {
		return nil
	}
	p.next = nil
	if _, p.unsynced = r.queues.Sync(); p.unsynced != nil {
		return p.unsynced
	}
	if r.index != nil {
		if p.unsynced = r.index.Flush(); p.unsynced != nil {
			return p.unsynced
		}
		p.fields.IndexMsgTimestamp = r.index.FlushedEndTimestamp()
	}
	if err := checkpoint.WriteQueues(r.fs, r.layout, &s.QueueSummary); err != nil {
		return err
	}
	if s.last != nil && s.last.end <= s.Dispatched {
		p.fields.LogicsPhysicalOffset = s.last.start
		p.fields.LogicsMsgTimestamp = s.last.storeTimestamp
	}
	p.summaryAt, p.summaried = s.Dispatched, time.Now()
	p.marked = -1 // the fields have changed: a new mark must go with them
	return nil
}

// finish writes everything down for the last time.
func (p *progress) finish(t *tree) error {
	if p.unsynced != nil {
		return p.unsynced
	}
	p.next = p.take(t)
	if err := p.writeSummary(); err != nil {
		return err
	}
	return errors.Join(p.mark(), p.rooms.remember())
}

// mark writes the durable mark and the checkpoint page that goes with it, if
// anything was flushed since the last one.
func (p *progress) mark() error {
	if err := p.putPage(); err != nil {
		return err
	}
	r := p.rooms
	start, end, ok := r.log.FlushedRecord()
	if end == p.marked || (!ok && end != 0) {
		return nil
	}
	m := checkpoint.Mark{FlushedEnd: end, LastRecordStart: -1, Sync: p.syncFlush}
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
	if err := p.putMark(m); err != nil {
		return err
	}
	page := p.fields
	p.page, p.pageLast, p.marked = &page, m.LastRecordStart, end
	return p.putPage()
}

// putMark writes a mark: into the other slot, or, after a mark that failed, into
// a new file with the one that counts.
func (p *progress) putMark(m checkpoint.Mark) error {
	var err error
	if p.renew {
		err = checkpoint.RenewMark(p.rooms.fs, p.rooms.layout, m, p.onDisk)
	} else {
		err = checkpoint.WriteMark(p.rooms.fs, p.rooms.layout, m)
	}
	p.renew = err != nil
	return err
}

// putPage writes the checkpoint page that the last mark needs to count.
func (p *progress) putPage() error {
	if p.page == nil {
		return nil
	}
	if err := checkpoint.WriteCheckpoint(p.rooms.fs, p.rooms.layout.CheckpointFile(), *p.page); err != nil {
		return err
	}
	p.onDisk, p.page = *p.page, nil
	p.proven.Store(p.pageLast)
	return nil
}
