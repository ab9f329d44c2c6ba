package recoverer

import (
	"context"
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// derive makes queues and index say what the log says.
func (r *recovery) derive(ctx context.Context) error {
	if err := r.dropDeleted(); err != nil {
		return err
	}
	if err := r.loadQueues(); err != nil {
		return err
	}
	indexFrom, err := r.prepareIndex()
	if err != nil {
		return err
	}
	p := r.newReplay(indexFrom)
	if err := r.choose(p); err != nil {
		return err
	}
	from := min(r.replayFrom(p), indexFrom)
	if r.in.DeferIndex && r.in.Index != nil {
		p.index.service, from = nil, r.replayFrom(p)
		if indexFrom < r.rep.End {
			r.rep.IndexFrom = indexFrom
		}
	}
	r.rep.Replayed = max(r.rep.End-from, 0)
	if err := p.run(ctx, from, r.persistStep(p)); err != nil {
		return err
	}
	if err := p.flush(); err != nil {
		return err
	}
	if err := p.settle(); err != nil {
		return err
	}
	return r.settle(p)
}

func (r *recovery) newReplay(indexFrom int64) *replay {
	p := &replay{
		in: r.in, rep: r.rep, look: newLookup(r.in),
		states: make(map[queueKey]*queueState),
		damage: damages{list: append([]Damage(nil), r.tail.damage...)},
		index:  &indexFeed{service: r.in.Index, from: indexFrom, lacks: -1},
		min:    r.rep.Min, end: r.rep.End, log0: r.rep.Min == 0,
		all: r.plan.ReplayFrom, unscanned: r.plan.ScanFrom,
		parser: record.DispatchParser{Topics: record.NewInterner(1 << 20), Delays: r.in.Delays},
		names:  record.NewInterner(1 << 20),
	}
	return p
}

// replayFrom is the log's beginning if any queue must be checked as a whole.
func (r *recovery) replayFrom(p *replay) int64 {
	for _, st := range p.states {
		if st.checked {
			return r.rep.Min
		}
	}
	return min(r.plan.ReplayFrom, r.rep.End)
}

// dropDeleted finishes deletions that a stop has cut short: what is left of a
// deleted topic points below the end that the log had then.
func (r *recovery) dropDeleted() error {
	for q := range r.in.Queues.All() {
		end, ok := r.in.Deleted[q.Topic()]
		if !ok {
			continue
		}
		if err := q.Load(); err != nil && !isCorrupt(err) {
			return err
		}
		if q.MaxPhysical() <= end {
			if err := q.Destroy(); err != nil {
				return err
			}
			continue
		}
		u, found := firstUnit(q)
		if found && u.PhysicalOffset < end {
			// Old units in front of new ones: the log tells which are new.
			if err := q.Reset(r.in.Layout.Aside()); err != nil {
				return err
			}
		}
	}
	return nil
}

func firstUnit(q *consumequeue.Queue) (consumequeue.Unit, bool) {
	var one [1]consumequeue.Unit
	n, err := q.Read(q.MinOffset(), one[:])
	return one[0], n == 1 && err == nil
}

// loadQueues finds the ends of all queues. A queue whose files are damaged is
// cut to its valid part; the replay gives it the rest again.
func (r *recovery) loadQueues() error {
	queues := make([]*consumequeue.Queue, 0, 64)
	for q := range r.in.Queues.All() {
		queues = append(queues, q)
	}
	errs := make([]error, len(queues))
	r.inChunks(PhaseQueues, len(queues), func(i int) { errs[i] = queues[i].Load() })
	for i, err := range errs {
		if err == nil {
			continue
		}
		if !isCorrupt(err) {
			return fmt.Errorf("queue %s-%d: %w", queues[i].Topic(), queues[i].ID(), err)
		}
		r.find(findingOf(ConsumeQueue, err))
		if err := r.mend(queues[i]); err != nil {
			return err
		}
	}
	return nil
}

// mend keeps the valid part of a damaged queue, or none where it cannot be told.
func (r *recovery) mend(q *consumequeue.Queue) error {
	err := q.TruncateTo(q.MaxOffset())
	if isCorrupt(err) {
		err = q.Reset(r.in.Layout.Aside())
	}
	return err
}

// inChunks runs f(0) to f(n-1) and reports progress now and then.
func (r *recovery) inChunks(phase Phase, n int, f func(i int)) {
	const chunk = 1024
	for at := 0; at < n; at += chunk {
		k := min(chunk, n-at)
		r.in.Parallel(k, func(i int) { f(at + i) })
		r.in.Progress(Progress{Phase: phase, Done: int64(at + k), Total: int64(n)})
	}
}

// persistStep writes a summary now and then, so that a long replay that is cut
// goes on where it was: every record in front of that place has been held
// against its units. A queue that waits for a record to be confirmed puts it off.
func (r *recovery) persistStep(p *replay) func(pos int64) error {
	next := max(r.rep.Min, p.all) + persistStep
	return func(pos int64) error {
		if pos < next || pos >= r.rep.End || r.rep.ReadOnly != nil {
			return nil
		}
		next = pos + persistStep
		for _, st := range p.states {
			if st.held != nil || st.known && st.next > st.max() {
				return nil
			}
		}
		if err := p.flush(); err != nil {
			return err
		}
		return r.writeSummary(pos, p.index.upTo(pos), p.ends())
	}
}

// settle makes the derived files durable and writes down how far they are.
func (r *recovery) settle(p *replay) error {
	r.rep.Offsets = commitlog.NewOffsetTable()
	ends := make([]checkpoint.QueueEnd, 0, 64)
	var failed error
	for q := range r.in.Queues.All() {
		failed = errors.Join(failed, q.CorrectMin(r.rep.Min))
		r.rep.Queues++
		if q.MaxOffset() > 0 {
			*r.rep.Offsets.Next(q.Topic(), q.ID()) = q.MaxOffset()
		}
		ends = append(ends, endOfQueue(q))
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

func endOfQueue(q *consumequeue.Queue) checkpoint.QueueEnd {
	return checkpoint.QueueEnd{Topic: q.Topic(), QueueID: q.ID(), Kind: uint8(q.Kind()),
		MinOffset: q.MinOffset(), MaxOffset: q.MaxOffset()}
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
	if _, err := r.in.Queues.Sync(); err != nil {
		return fmt.Errorf("sync queues: %w", err)
	}
	if r.in.Index != nil {
		if err := r.in.Index.Flush(); err != nil {
			return fmt.Errorf("flush index: %w", err)
		}
	}
	s := &checkpoint.QueueSummary{Dispatched: dispatched, IndexApplied: indexApplied, Queues: ends}
	return checkpoint.WriteQueues(r.in.FS, r.in.Layout, s)
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
	if c.ConfirmPhyOffset > r.rep.End {
		c.ConfirmPhyOffset = r.rep.End
	}
	if c.MasterFlushedOffset > r.rep.End {
		c.MasterFlushedOffset = r.rep.End
	}
}

// writeCheckpoint writes the mark and then, if it changed, the page.
func (r *recovery) writeCheckpoint() error {
	if err := r.writeMark(r.rep.End, r.rep.Last); err != nil {
		return err
	}
	if r.rep.Checkpoint == r.in.Checkpoint {
		return nil
	}
	return checkpoint.WriteCheckpoint(r.in.FS, r.in.Layout.CheckpointFile(), r.rep.Checkpoint)
}
