package progress

import (
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
)

// summary is a look at the queues at one moment.
type summary struct {
	checkpoint.QueueSummary
	confirm int64 // units may stand for records up to here
	last    *Record
}

// take looks at the ends of the queues: all units below them are in the files.
// What a parked sink has not taken in is not claimed.
func (w *Writer) take(at Look) *summary {
	s := &summary{last: at.Last}
	s.Dispatched, s.IndexApplied = at.Queues, at.Index
	for q := range w.o.Queues.All() {
		if q.Loaded() {
			s.Queues = append(s.Queues, q.Summary())
		}
	}
	s.confirm = w.o.Log.Confirm() // after the ends: no unit stands for a record above
	return s
}

// summarize syncs queues and index and writes down what that covers, once the
// records that the units stand for are durable themselves.
func (w *Writer) summarize(now time.Time) error {
	s, o := w.next, &w.o
	if s == nil || w.unsynced != nil || o.Log.Flushed() < s.confirm {
		return nil
	}
	w.next = nil
	if _, w.unsynced = o.Queues.Sync(); w.unsynced != nil {
		return w.unsynced
	}
	if o.Index != nil {
		if w.unsynced = o.Index.Flush(); w.unsynced != nil {
			return w.unsynced
		}
		w.fields.IndexMsgTimestamp = o.Index.FlushedEndTimestamp()
	}
	if err := checkpoint.WriteQueues(o.FS, o.Layout, &s.QueueSummary); err != nil {
		return err
	}
	if s.last != nil && s.last.End <= s.Dispatched {
		w.fields.LogicsPhysicalOffset = s.last.Start
		w.fields.LogicsMsgTimestamp = s.last.StoreTimestamp
	}
	w.summaryAt, w.indexAt, w.summaried = s.Dispatched, s.IndexApplied, now
	w.marked = -1 // the fields have changed: a new mark must go with them
	return nil
}
