package recoverer

import (
	"hash/crc32"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
)

// writeMark writes down that the log up to end is durable. done: what stands
// above it from now on is written in the mode of this opening.
func (r *recovery) writeMark(end, last int64, done bool) error {
	m := checkpoint.Mark{FlushedEnd: end, LastRecordStart: last, Sync: done && r.in.SyncFlush, Fields: r.rep.Checkpoint.Digest(),
		Mounted: r.mounted()}
	if !done && r.plan.Mark != nil {
		m.Sync = r.plan.Mark.Sync // what stands above is what it was
	}
	if last >= 0 {
		err := viewRest(r.in.Log.Reader(), last, end, func(b []byte) {
			if size, _, err := record.Measure(b); err == nil && size <= len(b) {
				m.LastRecordCRC = crc32.ChecksumIEEE(b[:size])
			}
		})
		if err != nil {
			return err
		}
	} else if end != r.plan.Min {
		return nil // no record to prove it with
	}
	if newest := r.newestMark(); newest != nil && newest.FlushedEnd == m.FlushedEnd &&
		newest.LastRecordStart == m.LastRecordStart && newest.LastRecordCRC == m.LastRecordCRC && newest.Sync == m.Sync && newest.Fields == m.Fields && newest.Mounted == m.Mounted {
		return nil
	}
	if err := r.disownSummary(); err != nil {
		return err
	}
	if err := checkpoint.WriteMark(r.in.FS, r.in.Layout, m); err != nil {
		return err
	}
	r.in.Marks = append([]checkpoint.Mark{m}, r.in.Marks...)
	return nil
}

// mounted is since when the page cache of the log's file system has all.
func (r *recovery) mounted() uint32 {
	if r.rep.ReadOnly != nil {
		return 0
	}
	return r.in.FS.Mounted(r.in.Layout.CommitLog())
}

// disownSummary removes a summary that does not count because no mark does: with
// the mark that is about to be written it would, and it is of another log.
func (r *recovery) disownSummary() error {
	if r.plan.Mark != nil || r.in.Summary == nil {
		return nil
	}
	return checkpoint.RemoveQueues(r.in.FS, r.in.Layout)
}

func (r *recovery) newestMark() *checkpoint.Mark {
	if len(r.in.Marks) == 0 {
		return nil
	}
	return &r.in.Marks[0]
}
