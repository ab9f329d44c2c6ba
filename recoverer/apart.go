package recoverer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// apartFrom is how much log the queues must lack for log, queues and index to be
// made right at once, each on a reading of the log of its own. A variable for
// tests.
var apartFrom int64 = 64 << 20

// The three parts of a recovery, in the order in which they tell of progress.
const (
	partLog = iota
	partQueues
	partIndex
	parts
)

// atOnce secures the log and makes queues and index right meanwhile: they share
// nothing but what stands in the log, which securing does not change. What is
// checked and what comes out is as in secure and derive. If the log cannot be
// secured it ends earlier than queues and index were told; then done is false,
// and they are to be derived again.
func (r *recovery) atOnce(ctx context.Context) (done bool, err error) {
	if err := r.shortenDeleted(); err != nil {
		return false, err
	}
	if err := r.beginQueues(); err != nil {
		return false, err
	}
	before := *r.rep
	turns := turns{tell: r.in.Progress}
	log, x := r.part(turns.of(partLog)), r.indexing(turns.of(partIndex))
	p := r.newReplay(r.rep.Min)
	p.index.service = nil
	r.in.Progress, r.secured, r.indexApart = turns.of(partQueues), new(atomic.Bool), x.prepare
	var failed [parts]error
	r.in.Parallel(parts, func(part int) {
		switch part {
		case partLog:
			failed[part] = log.secure()
			r.secured.Store(failed[part] == nil && log.rep.ReadOnly == nil)
		case partQueues:
			failed[part] = r.queuesAlone(ctx, p)
		case partIndex:
			failed[part] = x.indexAlone(ctx)
		}
		turns.done[part].Store(true)
	})
	r.in.Progress, r.secured, r.indexApart = turns.tell, nil, nil
	if log.rep.ReadOnly != nil {
		*r.rep = before
		r.tellSecured(log)
		return false, nil
	}
	r.tellSecured(log)
	if x.waits && errors.Join(failed[:]...) == nil {
		if failed[partIndex] = r.disclaimIndex(); failed[partIndex] == nil {
			failed[partIndex] = x.bringUp(ctx)
		}
	}
	r.tellIndexed(x, p)
	if err := errors.Join(failed[:]...); err != nil {
		return false, err
	}
	if err := p.settle(); err != nil {
		return false, err
	}
	return true, r.settle(p)
}

// part is a recovery for a part of the work: with an input, a plan and a report of
// its own, which the others do not touch.
func (r *recovery) part(progress func(Progress)) *recovery {
	in, plan := *r.in, *r.plan
	in.Warn, in.Progress = func(Finding) {}, progress
	rep := &Report{Min: r.rep.Min, End: r.rep.End, Last: r.rep.Last, Checkpoint: r.rep.Checkpoint, IndexFrom: -1}
	return &recovery{in: &in, plan: &plan, rep: rep, tail: r.tail, quiet: r.quiet, proven: r.proven}
}

// tellSecured takes over what securing the log has found and done.
func (r *recovery) tellSecured(log *recovery) {
	r.in.Marks, r.proven = log.in.Marks, log.proven
	r.rep.Rewritten += log.rep.Rewritten
	r.rep.Cut, r.rep.Aside = log.rep.Cut, log.rep.Aside
	r.rep.ReadOnly, r.rep.End, r.rep.Last = log.rep.ReadOnly, log.rep.End, log.rep.Last
	for _, f := range log.rep.Findings {
		r.find(f)
	}
}

// queuesAlone replays the log for the queues.
func (r *recovery) queuesAlone(ctx context.Context, p *replay) error {
	if err := r.choose(p); err != nil {
		return err
	}
	if err := r.replay(ctx, p, r.replayFrom(p)); err != nil {
		return err
	}
	return r.syncQueues() // the others may still be busy
}

// indexing is the index's part of a recovery.
type indexing struct {
	recovery
	prepare func() (from int64, err error) // prepareIndex, once
	from    int64                          // records below are in the index
	waits   bool                           // the page claims what is gone, and is to be written first
	feed    *indexFeed
	damage  []Damage // met on the way
}

func (r *recovery) indexing(progress func(Progress)) *indexing {
	x := &indexing{recovery: *r.part(func(p Progress) {
		p.Phase = PhaseIndex
		progress(p)
	})}
	x.prepare = sync.OnceValues(x.prepareIndex)
	x.feed = &indexFeed{lacks: -1}
	return x
}

// indexAlone mends the index and gives it what it lacks, unless that is deferred,
// or has to wait until the checkpoint may be written.
func (x *indexing) indexAlone(ctx context.Context) (err error) {
	if x.from, err = x.prepare(); err != nil || x.in.Index == nil {
		return err
	}
	if x.waits = x.indexFlushed() != x.rep.Checkpoint.IndexMsgTimestamp; x.waits {
		return nil
	}
	return x.bringUp(ctx)
}

// bringUp reads the log for the index.
func (x *indexing) bringUp(ctx context.Context) error {
	found := len(x.rep.Findings)
	p := x.newReplay(x.from)
	p.onlyIndex = true
	x.feed = p.index
	if x.deferred(x.from) {
		x.feed.service = nil
		return nil
	}
	err := p.run(ctx, min(x.from, x.rep.End), func(int64) error { return nil })
	x.damage, x.rep.Findings = x.rep.Damage, x.rep.Findings[:found]
	if err != nil || x.feed.err != nil {
		return err
	}
	return x.flushIndex()
}

// tellIndexed takes over what the index's part has found and done.
func (r *recovery) tellIndexed(x *indexing, p *replay) {
	for _, f := range x.rep.Findings {
		r.find(f)
	}
	for _, d := range x.damage {
		if p.damage.add(d) { // where the queues lacked nothing
			r.rep.Damage = append(r.rep.Damage, d)
			p.finding(damageFinding(d))
		}
	}
	p.index = x.feed
	switch {
	case x.in.Index == nil:
	case x.deferred(x.from):
		r.rep.IndexFrom = x.from
	default:
		r.rep.Replayed = max(r.rep.Replayed, r.rep.End-x.from)
	}
}

// turns lets the parts of a recovery tell of their progress one at a time: each
// when those in front of it are done.
type turns struct {
	tell func(Progress)
	done [parts]atomic.Bool
}

func (t *turns) of(part int) func(Progress) {
	return func(p Progress) {
		for i := range part {
			if !t.done[i].Load() {
				return
			}
		}
		t.tell(p)
	}
}
