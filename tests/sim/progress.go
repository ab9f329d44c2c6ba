package sim

import (
	"errors"
	"hash/crc32"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/recoverer"
)

// progress is what the checkpoint actor keeps: what was last written down.
type progress struct {
	l         *life
	fields    checkpoint.Checkpoint
	marked    int64 // flushed end of the last mark
	summaryAt int64
	summaried time.Time
	next      *summary
	unsynced  error
	renew     bool
	page      *checkpoint.Checkpoint
	pageLast  int64
	onDisk    checkpoint.Checkpoint
	proven    int64 // start of the record that the mark on disk counts by
}

// summary is a look at the queues at one moment.
type summary struct {
	checkpoint.QueueSummary
	confirm int64
	last    *dispatchedRecord
}

// pass writes what is due.
func (p *progress) pass() error {
	l := p.l
	due := p.summaried.IsZero() || l.w.steady().Sub(p.summaried) >= l.w.setup.o.FlushConsumeQueueThoroughInterval
	if p.next == nil && l.queuesApplied() > p.summaryAt && due {
		p.next = p.take()
	}
	return errors.Join(p.writeSummary(), p.mark())
}

// queuesApplied is the end of the log that all queues hold.
func (l *life) queuesApplied() int64 {
	least := l.log.Confirm()
	for _, s := range l.sinks {
		if s.name != indexName {
			least = min(least, s.Applied())
		}
	}
	return least
}

func (p *progress) take() *summary {
	l := p.l
	s := &summary{last: l.dispatched}
	s.Dispatched, s.IndexApplied = l.queuesApplied(), -1
	if l.index != nil {
		s.IndexApplied = l.sinks[len(l.sinks)-1].Applied()
	}
	for q := range l.queues.All() {
		if q.Loaded() {
			s.Queues = append(s.Queues, recoverer.EndOfQueue(q))
		}
	}
	s.confirm = l.log.Confirm()
	return s
}

// writeSummary syncs queues and index and writes down what that covers.
func (p *progress) writeSummary() error {
	s, l := p.next, p.l
	if s == nil || p.unsynced != nil || l.log.Flushed() < s.confirm {
		return nil
	}
	p.next = nil
	if _, p.unsynced = l.queues.Sync(); p.unsynced != nil {
		return p.unsynced
	}
	if l.index != nil {
		if p.unsynced = l.index.Flush(); p.unsynced != nil {
			return p.unsynced
		}
		p.fields.IndexMsgTimestamp = l.index.FlushedEndTimestamp()
	}
	if err := checkpoint.WriteQueues(l.w.script, l.layout, &s.QueueSummary); err != nil {
		return err
	}
	if s.last != nil && s.last.end <= s.Dispatched {
		p.fields.LogicsPhysicalOffset, p.fields.LogicsMsgTimestamp = s.last.start, s.last.storeTimestamp
	}
	p.summaryAt, p.summaried = s.Dispatched, l.w.steady()
	p.marked = -1
	return nil
}

// finish writes everything down for the last time.
func (p *progress) finish() error {
	if p.unsynced != nil {
		return p.unsynced
	}
	p.next = p.take()
	if err := p.writeSummary(); err != nil {
		return err
	}
	return p.mark()
}

// mark writes the durable mark and the checkpoint page that goes with it.
func (p *progress) mark() error {
	if err := p.putPage(); err != nil {
		return err
	}
	l := p.l
	start, end, ok := l.log.FlushedRecord()
	if end == p.marked || (!ok && end != 0) {
		return nil
	}
	m := checkpoint.Mark{FlushedEnd: end, LastRecordStart: -1, Sync: l.sync}
	if ok {
		err := l.log.Reader().View(start, int(end-start), func(b []byte) error {
			m.LastRecordStart, m.LastRecordCRC = start, crc32.ChecksumIEEE(b)
			ts, err := record.StoreTimestampOf(b)
			p.fields.PhysicMsgTimestamp = ts
			return err
		})
		if err != nil {
			l.w.fail("the last durable record cannot be read: %v", err)
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

func (p *progress) putMark(m checkpoint.Mark) error {
	var err error
	if p.renew {
		err = checkpoint.RenewMark(p.l.w.script, p.l.layout, m, p.onDisk)
	} else {
		err = checkpoint.WriteMark(p.l.w.script, p.l.layout, m)
	}
	p.renew = err != nil
	return err
}

func (p *progress) putPage() error {
	if p.page == nil {
		return nil
	}
	if err := checkpoint.WriteCheckpoint(p.l.w.script, p.l.layout.CheckpointFile(), *p.page); err != nil {
		return err
	}
	p.onDisk, p.page, p.proven = *p.page, nil, p.pageLast
	return nil
}
