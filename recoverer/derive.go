package recoverer

import (
	"context"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// conclude makes the log end where it was found to end, and queues and index say
// what it says; at once where that is much work.
func (r *recovery) conclude(ctx context.Context) error {
	if r.rep.End-r.plan.ReplayFrom >= apartFrom {
		if done, err := r.atOnce(ctx); done || err != nil {
			return err
		}
	} else if err := r.secure(); err != nil {
		return err
	}
	if r.rep.ReadOnly != nil && r.tail.witnessed {
		// What the queues say of records behind the end is all that proves them: cut
		// here, the next opening would take those for a write that was lost.
		return r.loadAsTheyAre()
	}
	if err := r.shortenDeleted(); err != nil {
		return err
	}
	err := r.derive(ctx)
	if err != nil && r.rep.ReadOnly != nil && ctx.Err() == nil {
		// The disk fails; what was in the queues before is served.
		r.find(findingOf(ConsumeQueue, err))
		err = nil
	}
	return err
}

// derive makes queues and index say what the log says.
func (r *recovery) derive(ctx context.Context) error {
	if err := r.beginQueues(); err != nil {
		return err
	}
	indexFrom, err := r.prepareIndex()
	if err != nil {
		return err
	}
	if err := r.disclaimIndex(); err != nil {
		return err
	}
	p := r.newReplay(indexFrom)
	if err := r.choose(p); err != nil {
		return err
	}
	from := min(r.replayFrom(p), indexFrom)
	if r.deferred(indexFrom) {
		p.index.service, from = nil, r.replayFrom(p)
		r.rep.IndexFrom = indexFrom
	}
	if err := r.replay(ctx, p, from); err != nil {
		return err
	}
	if err := p.settle(); err != nil {
		return err
	}
	return r.settle(p)
}

// deferred tells whether the caller brings the index up from a place.
func (r *recovery) deferred(from int64) bool {
	return r.in.Index != nil && r.in.DeferIndex > 0 && r.rep.End-from >= r.in.DeferIndex
}

// beginQueues finds the queues as they stand.
func (r *recovery) beginQueues() error {
	if err := r.dropDeleted(); err != nil {
		return err
	}
	return r.loadQueues()
}

// replay brings the queues up to the log, and the index if the replay feeds it.
func (r *recovery) replay(ctx context.Context, p *replay, from int64) error {
	r.rep.Replayed = max(r.rep.End-from, 0)
	if err := p.run(ctx, from, r.persistStep(p)); err != nil {
		return err
	}
	return p.flush()
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
		if pos < next || pos >= r.rep.End || r.rep.ReadOnly != nil || r.secured != nil && !r.secured.Load() {
			return nil
		}
		next = pos + persistStep
		for _, st := range p.states {
			if st.held != nil || st.known && st.next > st.max() {
				return nil
			}
		}
		if r.indexApart != nil { // who trusts a summary looks for no holes in the index
			if _, err := r.indexApart(); err != nil {
				return err
			}
		}
		if err := p.flush(); err != nil {
			return err
		}
		return r.writeSummary(pos, r.indexClaim(p, pos), p.ends())
	}
}

// indexClaim is what a summary on the way may say of the index.
func (r *recovery) indexClaim(p *replay, pos int64) int64 {
	switch {
	case r.in.Index == nil:
		return -1
	case r.indexApart != nil:
		return r.rep.Min // what it has will be seen in its files
	case r.rep.IndexFrom >= 0:
		return r.rep.IndexFrom // the caller brings it up
	}
	return p.index.upTo(pos)
}
