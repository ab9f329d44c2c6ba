package recoverer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// apartFrom is how much log the queues must lack for the index to be made right
// beside them, on a reading of the log of its own. A variable for tests.
var apartFrom int64 = 64 << 20

// deriveApart makes queues and index right at once: they share nothing but the
// log. What is checked and what comes out is as in derive.
func (r *recovery) deriveApart(ctx context.Context) error {
	var queuesDone atomic.Bool
	x := r.besides(&queuesDone)
	p := r.newReplay(r.rep.Min)
	p.index.service = nil
	r.indexApart = x.prepare
	var failed [2]error
	r.in.Parallel(2, func(i int) {
		if i == 0 {
			failed[i] = r.queuesAlone(ctx, p)
			queuesDone.Store(true)
		} else {
			failed[i] = x.indexAlone(ctx)
		}
	})
	r.indexApart = nil
	for _, f := range x.rep.Findings {
		r.find(f)
	}
	if err := errors.Join(failed[:]...); err != nil {
		return err
	}
	for _, d := range x.damage {
		if p.damage.add(d) { // where the queues lacked nothing
			r.rep.Damage = append(r.rep.Damage, d)
			p.finding(damageFinding(d))
		}
	}
	p.index = x.feed
	r.rep.Replayed = max(r.rep.Replayed, r.rep.End-x.feed.from)
	if err := p.settle(); err != nil {
		return err
	}
	return r.settle(p)
}

// queuesAlone replays the log for the queues.
func (r *recovery) queuesAlone(ctx context.Context, p *replay) error {
	if err := r.choose(p); err != nil {
		return err
	}
	return r.replay(ctx, p, r.replayFrom(p))
}

// indexing is the index's half of a recovery. It has a plan, a report and an
// input of its own, which the queues' half does not touch.
type indexing struct {
	recovery
	prepare func() (from int64, err error) // prepareIndex, once
	feed    *indexFeed
	damage  []Damage // met on the way
}

// besides makes that half. It tells of progress once the queues' half does not
// any more, so that who listens hears one thing at a time.
func (r *recovery) besides(queuesDone *atomic.Bool) *indexing {
	in, plan := *r.in, *r.plan
	in.Warn = func(Finding) {}
	in.Progress = func(p Progress) {
		if queuesDone.Load() {
			p.Phase = PhaseIndex
			r.in.Progress(p)
		}
	}
	rep := &Report{Min: r.rep.Min, End: r.rep.End, Last: r.rep.Last}
	x := &indexing{recovery: recovery{in: &in, plan: &plan, rep: rep, tail: r.tail, proven: r.proven}}
	x.prepare = sync.OnceValues(x.prepareIndex)
	return x
}

// indexAlone mends the index and gives it what it lacks.
func (x *indexing) indexAlone(ctx context.Context) error {
	from, err := x.prepare()
	if err != nil {
		return err
	}
	found := len(x.rep.Findings)
	p := x.newReplay(from)
	p.onlyIndex = true
	x.feed = p.index
	err = p.run(ctx, min(from, x.rep.End), func(int64) error { return nil })
	x.damage, x.rep.Findings = x.rep.Damage, x.rep.Findings[:found]
	return err
}
