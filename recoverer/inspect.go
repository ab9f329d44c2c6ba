package recoverer

import (
	"context"
	"errors"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// Inspect finds out what a store holds as it stands and changes nothing: log,
// queues and index may be opened read-only. Afterwards the log is restored for
// reading and the queues are loaded. Without a mark only the last segment in use
// is scanned; Verify reads everything. Units that point behind the log's end, or
// records that no unit points at, stay as they are.
func Inspect(ctx context.Context, in Input) (rep Report, err error) {
	r, err := begin(&in, &rep)
	if err != nil {
		return rep, err
	}
	if r.plan.Mark == nil {
		r.plan.ScanFrom = r.lastUsed()
		r.tail = newTail(r.in, r.plan, r.rep)
	}
	if err := r.inspectEnd(ctx); err != nil {
		return rep, err
	}
	if err := r.loadAsTheyAre(); err != nil {
		return rep, err
	}
	r.restore(r.dispatchedAsItIs())
	return rep, nil
}

// lastUsed is the start of the last segment that begins with a good record.
func (r *recovery) lastUsed() int64 {
	segments := r.in.Log.Segments()
	for i := len(segments) - 1; i > 0; i-- {
		if newLookup(r.in).whole(segments[i].Offset(), r.plan.Limit) {
			return segments[i].Offset()
		}
	}
	return r.plan.Min
}

// inspectEnd is findEnd without a trace on disk.
func (r *recovery) inspectEnd(ctx context.Context) error {
	t := r.tail
	if err := t.find(ctx, nil); err != nil {
		return err
	}
	if r.in.InUse {
		r.besideWriter()
	} else {
		r.dropOld()
	}
	r.rep.Min, r.rep.End, r.rep.Last = r.plan.Min, t.end, t.last
	r.rep.Damage, r.rep.OldEnd = t.damage, t.oldAt
	for _, d := range t.damage {
		r.find(damageFinding(d))
	}
	if r.plan.Doubt != nil {
		r.rep.ReadOnly = r.plan.Doubt
		r.find(findingOf(CommitLog, r.plan.Doubt))
	} else if !r.in.InUse {
		r.tellMissing()
	}
	return nil
}

// besideWriter notes where the writer was met. What the scan could not make sense
// of there, it was too early for; and a mark may be newer than the listing.
func (r *recovery) besideWriter() {
	t := r.tail
	if t.torn || t.why != nil && !errors.Is(t.why, commitlog.ErrUnwritten) {
		r.rep.Writer = t.end
	}
	r.plan.Doubt, t.oldAt = nil, -1
}

// loadAsTheyAre finds the ends of the queues; damage is reported and left.
func (r *recovery) loadAsTheyAre() error {
	queues := make([]*consumequeue.Queue, 0, 64)
	for q := range r.in.Queues.All() {
		queues = append(queues, q)
	}
	errs := make([]error, len(queues))
	r.inChunks(PhaseQueues, len(queues), func(i int) {
		if errs[i] = queues[i].Load(); r.in.InUse && isCorrupt(errs[i]) {
			errs[i] = sameAgain(queues[i], errs[i])
		}
		if errs[i] == nil {
			errs[i] = queues[i].CorrectMin(r.rep.Min)
		}
	})
	for _, err := range errs {
		switch {
		case err == nil:
		case isCorrupt(err):
			r.find(findingOf(ConsumeQueue, err))
		default:
			return err
		}
	}
	r.rep.Queues = len(queues)
	return nil
}

// sameAgain looks at a queue once more beside its writer: only what is wrong at
// the same place is damage, and not if that is where the writer is.
func sameAgain(q *consumequeue.Queue, before error) error {
	var a, b *record.CorruptionError
	err := q.Reload()
	if err == nil || errors.As(before, &a) && errors.As(err, &b) && (a.Path != b.Path || a.Offset != b.Offset) {
		return nil
	}
	if half, unread := q.HalfWritten(); half || unread != nil {
		return unread
	}
	return err
}

// dispatchedAsItIs is the end of the last record that a queue points at.
func (r *recovery) dispatchedAsItIs() int64 {
	at := r.rep.Min
	for q := range r.in.Queues.All() {
		if end := q.MaxPhysical(); end <= r.rep.End {
			at = max(at, end)
		}
	}
	return at
}
