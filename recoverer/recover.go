package recoverer

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
)

// recovery is one run of Recover.
type recovery struct {
	in    *Input
	plan  *Plan
	rep   *Report
	tail  *tail
	quiet bool // closed in order: nothing stands behind the end
	// proven is how far the log is known to be on disk.
	proven int64
	// indexApart is set while the index is made right beside the queues: it takes
	// out of the index what cannot be believed, if that is not done yet.
	indexApart func() (from int64, err error)
	// secured is set while the log is secured beside the queues: whether it is.
	secured *atomic.Bool
}

// Recover makes a store consistent; see the package comment. Afterwards the log
// is restored, the queues are loaded and right, and Report.Offsets holds the
// next offset of every queue. Report.ReadOnly is set, and the log fails every
// append, where its end is in doubt or could not be made durable.
//
// An error names what is wrong. Nothing has been changed if the store cannot be
// served as it is; at most bytes of the log were written again, the same. After an
// error of the disk Recover may be run again on a store that is opened anew.
func Recover(ctx context.Context, in Input) (rep Report, err error) {
	r, err := begin(&in, &rep)
	if err != nil {
		return rep, err
	}
	if err := r.findEnd(ctx); err != nil {
		return rep, err
	}
	if r.plan.Doubt != nil {
		return rep, r.stayAsItIs()
	}
	if err := r.conclude(ctx); err != nil {
		return rep, err
	}
	r.restore(rep.End - rep.IndexBehind())
	return rep, nil
}

// begin makes the plan.
func begin(in *Input, rep *Report) (*recovery, error) {
	rep.IndexFrom, rep.Last, rep.OldEnd, rep.Writer = -1, -1, -1, -1
	if err := in.check(); err != nil {
		return nil, err
	}
	rep.Checkpoint = in.Checkpoint
	plan, err := MakePlan(in)
	rep.Plan = plan
	if err != nil {
		return nil, err
	}
	r := &recovery{in: in, plan: &rep.Plan, rep: rep}
	r.tail = newTail(in, r.plan, rep)
	r.proven = r.provenEnd()
	r.tail.early.on, r.tail.early.from = !in.Clean && plan.Doubt == nil, r.proven
	return r, nil
}

// findEnd scans the log. Where the mark is far behind, or there is none, what
// has been judged is made durable and marked batch by batch, so that a scan that
// is cut does not begin at the same place again.
func (r *recovery) findEnd(ctx context.Context) error {
	t := r.tail
	if err := t.find(ctx, r.between); err != nil {
		return err
	}
	r.dropOld()
	r.rep.Min, r.rep.End, r.rep.Last = r.plan.Min, t.end, t.last
	r.rep.Damage, r.rep.OldEnd = t.damage, t.oldAt
	for _, d := range t.damage {
		r.find(damageFinding(d))
	}
	if r.plan.Doubt != nil {
		r.find(findingOf(CommitLog, r.plan.Doubt))
		return nil
	}
	r.tellMissing()
	m := r.plan.Mark
	r.quiet = r.in.Clean && !r.in.CheckAll && r.plan.Own && t.end == m.FlushedEnd && errors.Is(t.why, commitlog.ErrUnwritten)
	if r.in.Clean && m != nil && t.end != m.FlushedEnd {
		r.in.Clean = false // the abort marker was taken away by hand
	}
	return nil
}

// tellMissing holds the end against the marks that the page agrees with: the log
// of such a mark is this engine's own, and was on disk up to there.
func (r *recovery) tellMissing() {
	for i := range r.in.Marks {
		m := &r.in.Marks[i]
		if r.plan.Mark != nil && m.Sequence < r.plan.Mark.Sequence {
			return // of before: the one that counts has the say
		}
		if m.FlushedEnd > r.rep.End && m.Matches(r.in.Checkpoint) {
			r.rep.Missing = m.FlushedEnd - r.rep.End
			r.find(Finding{Where: CommitLog, Path: r.in.Layout.CommitLog(), Offset: r.rep.End, End: m.FlushedEnd,
				Want: fmt.Sprintf("a log up to offset %d, which its mark says was on disk", m.FlushedEnd),
				Got:  "its end; what stood behind is gone, or another engine has cut it"})
			return
		}
	}
}

func damageFinding(d Damage) Finding {
	f := findingOf(CommitLog, d.Err)
	f.Offset, f.End = d.Offset, d.Next
	if f.Path == "" {
		f.Path = d.Path
	}
	return f
}

// between runs after a batch of segments that others follow.
func (r *recovery) between() error {
	t := r.tail
	if t.torn || t.belowMark() || r.plan.Doubt != nil || t.last < 0 || r.safeToMark() != nil {
		return nil
	}
	if !r.in.Clean {
		if err := r.rewrite(t.end); err != nil {
			return nil // secure meets it again and decides
		}
	}
	return r.writeMark(t.end, t.last, false)
}

// safeToMark refuses a mark in the middle of a scan while another engine's old
// bytes may still be found, behind or, where store times go back, in front.
func (r *recovery) safeToMark() error {
	if r.tail.oldAt >= 0 || len(r.tail.damage) > 0 || len(r.tail.backs) > 0 {
		return errors.New("not before the end is known")
	}
	return nil
}

// secure makes the log end where it was found to end.
func (r *recovery) secure() error {
	if !r.in.Clean {
		if err := r.rewrite(r.rep.End); err != nil {
			return r.renew(err)
		}
	}
	if err := r.cut(r.rep.End); err != nil {
		if errors.As(err, new(*commitlog.StuckError)) {
			return r.renew(err)
		}
		return err
	}
	return r.writeMark(r.rep.End, r.rep.Last, true)
}

// shortenDeleted brings deletions down to the end of the log. A topic may have
// been deleted when the log was longer than what the disk kept of it: what is
// put from here on is not what was deleted then.
func (r *recovery) shortenDeleted() error {
	changed := false
	for topic, end := range r.in.Deleted {
		if end > r.rep.End {
			r.in.Deleted[topic] = r.rep.End
			changed = true
		}
	}
	if !changed || r.rep.ReadOnly != nil {
		return nil
	}
	if err := checkpoint.WriteDeleted(r.in.FS, r.in.Layout, r.in.Deleted); err != nil {
		return fmt.Errorf("shorten deletions: %w", err)
	}
	return nil
}

// stayAsItIs serves a store whose end is in doubt for reading, unchanged.
func (r *recovery) stayAsItIs() error {
	r.in.Log.Fail(r.plan.Doubt)
	r.rep.ReadOnly = r.in.Log.Failed()
	if err := r.loadAsTheyAre(); err != nil {
		return err
	}
	r.restore(r.rep.End)
	return nil
}

// restore places the watermarks.
func (r *recovery) restore(dispatched int64) {
	r.in.Log.Restore(r.rep.Min, dispatched, r.rep.End)
	if last := r.rep.Last; last >= 0 && r.endsAt(last) == r.rep.End {
		r.in.Log.RestoreLast(last)
	}
}

// endsAt is the end of the record at offset.
func (r *recovery) endsAt(offset int64) (end int64) {
	_ = viewRest(r.in.Log.Reader(), offset, r.rep.End, func(b []byte) {
		if size, _, err := record.Measure(b); err == nil {
			end = offset + int64(size)
		}
	})
	return end
}

// find notes a finding.
func (r *recovery) find(f Finding) {
	r.rep.Findings = append(r.rep.Findings, f)
	r.in.Warn(f)
}
