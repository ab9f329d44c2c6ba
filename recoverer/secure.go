package recoverer

import (
	"bytes"
	"fmt"
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// rewriteStep is how much is rewritten between two reports of progress.
const rewriteStep = 256 << 20

// rewrite writes the log from the proven end to the end that was found again and
// syncs it: after an unclean stop the page cache may show what the disk lost. It
// goes on where an earlier call ended.
func (r *recovery) rewrite(end int64) error {
	from := max(r.proven, r.plan.Min)
	for at := from; at < end; {
		to := min(at+rewriteStep, end)
		if err := r.rewriteRange(at, to); err != nil {
			return err
		}
		r.rep.Rewritten += to - at
		at = to
		r.in.Progress(Progress{Phase: PhaseRewrite, Done: at - from, Total: end - from})
	}
	r.proven = max(r.proven, end)
	r.tail.early.settle(r.proven)
	return nil
}

// rewriteRange leaves out what no segment holds.
func (r *recovery) rewriteRange(from, to int64) error {
	var gaps []mapped.Extent
	for _, gap := range r.in.Log.Gaps() {
		gaps = append(gaps, mapped.Extent(gap))
	}
	return outside(gaps, from, to, r.rewriteHeld)
}

// outside calls f with the parts of [from, to) that are in none of a list, in order.
func outside(list []mapped.Extent, from, to int64, f func(from, to int64) error) error {
	for _, e := range list {
		if e.To <= from || e.From >= to {
			continue
		}
		if e.From > from {
			if err := f(from, e.From); err != nil {
				return err
			}
		}
		from = e.To
	}
	if from >= to {
		return nil
	}
	return f(from, to)
}

// rewriteHeld writes what was not written while the log was scanned, and syncs all.
func (r *recovery) rewriteHeld(from, to int64) error {
	if err := r.tail.early.lacks(from, to, r.in.Log.Rewrite); err != nil {
		return err
	}
	return r.in.Log.SyncRewritten(from, to)
}

// provenEnd is how far the log is known to be on disk before recovery.
func (r *recovery) provenEnd() int64 {
	if r.plan.Mark != nil {
		return r.plan.Mark.FlushedEnd
	}
	if r.in.Clean {
		return r.plan.Limit
	}
	return r.flushedByTime()
}

// timeMargin is the safety that RocketMQ once gave its checkpoint times, in ms.
const timeMargin = 3000

// flushedByTime reads RocketMQ's checkpoint: everything in front of the last
// segment whose first record is older than the newest flushed one, by a margin,
// has been flushed. Nothing is known if the time is not set.
func (r *recovery) flushedByTime() int64 {
	at := r.plan.Min
	if r.in.Checkpoint.PhysicMsgTimestamp <= 0 {
		return at
	}
	for _, f := range r.in.Log.Segments() {
		var t int64
		err := viewRest(r.in.Log.Reader(), f.Offset(), f.End(), func(b []byte) {
			if size, kind, err := record.Measure(b); err == nil && kind == record.KindRecord && size <= len(b) &&
				record.Verify(b[:size], f.Offset(), record.CRCNone) == nil {
				t, _ = record.StoreTimestampOf(b)
			}
		})
		if err == nil && t > 0 && t <= r.in.Checkpoint.PhysicMsgTimestamp-timeMargin {
			at = f.Offset()
		}
	}
	return at
}

// cut keeps aside and zeroes what stands behind the end.
func (r *recovery) cut(end int64) error {
	if r.quiet {
		return nil
	}
	n, err := r.in.Log.Cut(end, func(offset int64, b []byte) error {
		path, err := r.keepAside(offset, b)
		if err == nil && path != "" {
			r.rep.Aside = append(r.rep.Aside, path)
		}
		return err
	})
	r.rep.Cut += n
	if err != nil {
		return fmt.Errorf("cut the log at offset %d: %w", end, err)
	}
	if n > 0 {
		r.find(Finding{Where: CommitLog, Path: r.in.Layout.CommitLog(), Offset: end, Want: "nothing behind the end of the log",
			Got: fmt.Sprintf("%d bytes, kept aside in %v", n, r.rep.Aside), Torn: !r.in.Clean && r.rep.Missing == 0})
	}
	if path := r.in.Log.EmptyFile(); path != "" {
		if err := r.in.FS.Remove(path); err != nil {
			return fmt.Errorf("remove empty segment: %w", err)
		}
		return r.in.FS.SyncDir(filepath.Dir(path))
	}
	return nil
}

// keepAside copies mapped bytes into a file of ours. A page that cannot be read
// stops it, and so the cut.
func (r *recovery) keepAside(offset int64, b []byte) (path string, err error) {
	return checkpoint.Aside(r.in.FS, r.in.Layout, "commitlog-"+mapped.Name(offset), bytes.NewReader(b))
}
