package recoverer

import (
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/consumequeue"
)

// settle makes the derived files durable and writes down how far they are.
func (r *recovery) settle(p *replay) error {
	r.rep.Offsets = commitlog.NewOffsetTable()
	ends := make([]checkpoint.QueueEnd, 0, 64)
	var failed error
	for q := range r.in.Queues.All() {
		failed = errors.Join(failed, q.CorrectMin(r.rep.Min), p.beginAnew(q))
		r.rep.Queues++
		if q.MaxOffset() > 0 {
			*r.rep.Offsets.Next(q.Topic(), q.ID()) = q.MaxOffset()
		}
		ends = append(ends, q.Summary())
	}
	if failed != nil {
		return failed
	}
	if p.index.err != nil {
		r.rep.IndexErr, r.rep.IndexFrom = p.index.err, p.index.lacks
		r.find(findingOf(Index, p.index.err))
	}
	if r.rep.ReadOnly != nil {
		return nil // the disk is not to be written
	}
	r.correctCheckpoint()
	applied := p.index.upTo(r.rep.End)
	if r.rep.IndexFrom >= 0 {
		applied = r.rep.IndexFrom
	}
	if r.in.Index == nil {
		applied = -1
	}
	if err := r.writeSummary(r.rep.End, applied, ends); err != nil {
		return err
	}
	return r.writeCheckpoint()
}

// beginAnew lets a queue start at 0 again that has no unit left while the log has
// its beginning: no message was ever in front of that place. After a power cut a
// later file of a queue may stand alone, of which the log holds nothing. Where
// the log is damaged such a message may be in there, and its offset stays taken,
// also when a later opening does not read that part of the log.
func (p *replay) beginAnew(q *consumequeue.Queue) error {
	if !p.log0 || len(p.damage.list)+len(p.in.Known) > 0 || q.MaxOffset() == 0 || q.MinOffset() < q.MaxOffset() {
		return nil
	}
	return q.Reset(p.in.Layout.Aside())
}

// upTo is how far the index has come when the replay is at pos.
func (f *indexFeed) upTo(pos int64) int64 {
	if f.err != nil {
		return f.lacks
	}
	return max(pos, f.from)
}

// writeSummary syncs queues and index first.
func (r *recovery) writeSummary(dispatched, indexApplied int64, ends []checkpoint.QueueEnd) error {
	if err := r.syncQueues(); err != nil {
		return err
	}
	if r.in.Index != nil && r.indexApart == nil {
		if err := r.flushIndex(); err != nil {
			return err
		}
	}
	s := &checkpoint.QueueSummary{Dispatched: dispatched, IndexApplied: indexApplied, Queues: ends}
	return checkpoint.WriteQueues(r.in.FS, r.in.Layout, s)
}

func (r *recovery) syncQueues() error {
	if _, err := r.in.Queues.Sync(); err != nil {
		return fmt.Errorf("sync queues: %w", err)
	}
	return nil
}

func (r *recovery) flushIndex() error {
	if err := r.in.Index.Flush(); err != nil {
		return fmt.Errorf("flush index: %w", err)
	}
	return nil
}

// correctCheckpoint takes back what the page claims and the log does not hold:
// RocketMQ starts its own recovery from these numbers.
func (r *recovery) correctCheckpoint() {
	c := &r.rep.Checkpoint
	last, t := r.rep.Last, int64(0)
	if last >= 0 {
		t = max(r.tail.past.storeTime(last), 0)
	}
	if c.LogicsPhysicalOffset >= r.rep.End || c.LogicsPhysicalOffset < 0 {
		c.LogicsPhysicalOffset, c.LogicsMsgTimestamp = max(last, 0), t
	}
	c.ConfirmPhyOffset = min(max(c.ConfirmPhyOffset, 0), r.rep.End)
	c.MasterFlushedOffset = min(max(c.MasterFlushedOffset, 0), r.rep.End)
	c.IndexMsgTimestamp = r.indexFlushed()
}

// indexFlushed is up to what time the page may say that full index files are on
// disk: those in front of the one that it names, where that is gone.
func (r *recovery) indexFlushed() int64 {
	claimed, end := r.rep.Checkpoint.IndexMsgTimestamp, int64(0)
	if r.in.Index == nil {
		return claimed
	}
	for _, f := range r.in.Index.Files() {
		if f.Full {
			end = max(end, f.EndTimestamp)
		}
	}
	return min(claimed, end)
}

// disclaimIndex takes back what the page says of index files that are gone, before
// others take their place: a power cut would leave those half written, and the next
// opening would believe that they are whole.
func (r *recovery) disclaimIndex() error {
	if r.rep.ReadOnly != nil || r.indexFlushed() == r.rep.Checkpoint.IndexMsgTimestamp {
		return nil
	}
	r.correctCheckpoint()
	if err := r.writeCheckpoint(); err != nil {
		return err
	}
	r.in.Checkpoint = r.rep.Checkpoint
	return nil
}

// writeCheckpoint writes the mark and then, if it changed, the page.
func (r *recovery) writeCheckpoint() error {
	if err := r.writeMark(r.rep.End, r.rep.Last, true); err != nil {
		return err
	}
	if r.rep.Checkpoint == r.in.Checkpoint {
		return nil
	}
	return checkpoint.WriteCheckpoint(r.in.FS, r.in.Layout.CheckpointFile(), r.rep.Checkpoint)
}
