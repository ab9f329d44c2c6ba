package recoverer

import (
	"context"
	"errors"
	"fmt"
	"sort"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// tail finds the end of the log from the runs that a scan gives, in order.
type tail struct {
	in   *Input
	plan *Plan
	rep  *Report

	end    int64 // behind the last run that was accepted
	last   int64 // start of the last record, -1
	any    bool  // a run was accepted
	torn   bool  // a lost write was met: nothing behind it counts
	why    error // what stands at end
	oldAt  int64 // first good record that was taken for old, -1
	past   history
	damage []Damage
	time   int64  // store time of the last record
	backs  []back // where store times go back, the last ones
	early  early

	unread    error // why it cannot be told whether something was durable: there is no end then
	witnessed bool  // only queues or index tell that what stands behind damage was durable
}

func newTail(in *Input, plan *Plan, rep *Report) *tail {
	t := &tail{in: in, plan: plan, rep: rep, end: plan.ScanFrom, last: -1, oldAt: -1}
	t.past.init(in, plan)
	return t
}

// scanBatch is how many segments are scanned before their runs are judged, so
// that a long scan leaves a mark behind now and then. A variable for tests.
var scanBatch = 16

// find scans from the plan's start to the end of the last segment. after is
// called when a batch of segments has been judged and more follow.
func (t *tail) find(ctx context.Context, after func() error) error {
	segments := t.in.Log.Segments()
	for len(segments) > 0 && segments[0].End() <= t.plan.ScanFrom {
		segments = segments[1:]
	}
	t.rep.SegmentsRead = len(segments)
	for len(segments) > 0 {
		batch := segments[:min(len(segments), scanBatch)]
		segments = segments[len(batch):]
		stretches, err := t.scan(ctx, batch)
		if err != nil {
			return err
		}
		for i := range stretches {
			t.take(&stretches[i])
		}
		if t.unread != nil {
			return t.unread
		}
		if len(segments) > 0 && after != nil {
			if err := after(); err != nil {
				return err
			}
		}
	}
	t.finish()
	return nil
}

// scan reads some segments, each in chunks that may be read at once.
func (t *tail) scan(ctx context.Context, batch []*mapped.MappedFile) ([]stretch, error) {
	quiet := int64(-1)
	if t.in.Clean && t.plan.Own && !t.in.CheckAll {
		quiet = t.plan.Mark.FlushedEnd
	}
	type job struct{ segment, chunk int }
	var jobs []job
	chunks := make([][]chunk, len(batch))
	for i, f := range batch {
		chunks[i] = chunksOf(f, max(f.Offset(), t.plan.ScanFrom), f.End())
		for k := range chunks[i] {
			jobs = append(jobs, job{i, k})
		}
	}
	r := t.in.Log.Reader()
	for len(jobs) > 0 {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		some := jobs[:min(len(jobs), chunksAtOnce)]
		t.early.begin(len(some))
		t.in.Parallel(len(some), func(i int) {
			j := some[i]
			c := &chunks[j.segment][j.chunk]
			c.scan(r, batch[j.segment].End(), j.chunk == 0)
			t.early.scanned(t.in.Log, c)
		})
		jobs = jobs[len(some):]
		j := some[len(some)-1]
		t.in.Progress(Progress{Phase: PhaseScan, Done: chunks[j.segment][j.chunk].stop - t.plan.ScanFrom,
			Total: t.plan.Limit - t.plan.ScanFrom})
	}
	out := make([]stretch, len(batch))
	t.in.Parallel(len(batch), func(i int) {
		first, seen := join(chunks[i])
		out[i] = follow(r, first, batch[i].End(), quiet)
		out[i].seen += seen
	})
	for i := range out {
		t.rep.Scanned += out[i].seen
	}
	return out, nil
}

// take judges the runs of one segment.
func (t *tail) take(st *stretch) {
	missing := t.gapBefore(st.from)
	for i := range st.runs {
		r := &st.runs[i]
		t.judge(r, missing)
		missing = false
		if t.torn {
			return
		}
	}
	switch {
	case t.end == st.to:
		t.why = nil
	case t.end >= st.from && t.end < st.to:
		t.why = st.behind
	}
}

// gapBefore tells whether the segment in front of this one is missing.
func (t *tail) gapBefore(segment int64) bool {
	for _, gap := range t.in.Log.Gaps() {
		if gap.To == segment {
			return true
		}
	}
	return false
}

// judge decides about one run: it goes on where the log ended so far, it goes on
// behind damage, or it is old.
func (t *tail) judge(r *run, missing bool) {
	if t.torn {
		return
	}
	switch {
	case r.start == t.end:
	case missing, t.belowMark():
		t.hurt(r.start, r.before)
	case t.in.InUse: // it was not whole when it was read; by now it is
		t.torn = true
		return
	case t.lostWrite(r.start):
		t.torn = true
		return
	case !t.any:
		t.hurt(r.start, r.before)
	default:
		at := t.past.firstContinuing(r, t.end, t.last)
		if at < 0 {
			if t.oldAt < 0 {
				t.oldAt = r.start
			}
			return
		}
		t.hurt(at, r.before)
		t.oldAt = -1
	}
	t.any = true
	t.end = r.end
	if r.last < 0 {
		return
	}
	if t.last >= 0 && r.firstTime < t.time {
		t.backs = append(t.backs, back{r.start, t.time})
	}
	t.backs = append(t.backs, r.backs...)
	t.backs = t.backs[max(len(t.backs)-maxBacks, 0):]
	t.last, t.time = r.last, r.lastTime
}

// belowMark: the log is known to be durable further than this.
func (t *tail) belowMark() bool { return t.plan.Mark != nil && t.end < t.plan.Mark.FlushedEnd }

// hurt notes the range [end, next) as damage inside the log.
func (t *tail) hurt(next int64, cause error) {
	if cause == nil {
		cause = t.why
	}
	t.damage = append(t.damage, damageOf(t.in.Log, t.end, next, cause))
}

// damageOf describes a range of the log.
func damageOf(log *commitlog.Log, from, next int64, cause error) Damage {
	path := log.Path(from)
	var missing *commitlog.MissingError
	switch {
	case cause == nil:
		cause = &record.CorruptionError{Path: path, Offset: from, Want: "a record", Got: "nothing that is one", Next: next}
	case errors.As(cause, &missing), errors.Is(cause, commitlog.ErrUnwritten):
		cause = &record.CorruptionError{Path: path, Offset: from, Want: "a record", Got: cause.Error(), Next: next}
	}
	for _, gap := range log.Gaps() {
		if gap.From >= from && gap.From < next {
			cause = &record.CorruptionError{Path: path, Offset: gap.From, Next: gap.To,
				Want: "the segment that starts there", Got: "no file up to " + fmt.Sprint(gap.To)}
		}
	}
	return Damage{Offset: from, Next: next, Path: path, Err: cause}
}

// finish settles the end once everything has been scanned.
func (t *tail) finish() {
	if m := t.plan.Mark; m != nil && t.end < m.FlushedEnd {
		// Nothing good follows, but the log was durable up to there.
		t.hurt(m.FlushedEnd, t.why)
		t.end = m.FlushedEnd
	}
	for _, gap := range t.in.Log.Gaps() {
		if gap.To <= t.plan.ScanFrom {
			d := damageOf(t.in.Log, gap.From, gap.To, nil)
			t.damage = append(t.damage, d)
		}
	}
	sort.Slice(t.damage, func(i, j int) bool { return t.damage[i].Offset < t.damage[j].Offset })
	var fault *mapped.FaultError
	if t.plan.Doubt == nil && !t.torn && errors.As(t.why, &fault) {
		// What cannot be read may hold records: it must not be cut.
		t.plan.Doubt = fmt.Errorf("the end of the log cannot be read: %w", fault)
	}
}
