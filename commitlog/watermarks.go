package commitlog

import "sync/atomic"

// Watermarks are the progress of the log in physical offsets. Each has exactly
// one writer and only grows, recovery apart; everybody may read them. They are
// how the rooms of the store know of each other (I1).
type Watermarks struct {
	min        mark // retention: first byte that still exists
	appended   mark // append: end of what is written
	flushed    mark // flusher: end of what is durable
	confirm    mark // append or flusher: end of what may be seen
	dispatched mark // dispatch: end of what queues and index hold
	replicated mark // replication: end of what enough replicas hold
}

// mark fills a cache line, so that writers do not slow each other down.
type mark struct {
	v atomic.Int64
	_ [56]byte
}

// Min is the offset of the first byte that still exists.
func (w *Watermarks) Min() int64 { return w.min.v.Load() }

// Appended is the end of what has been written; bytes below never change (I3).
func (w *Watermarks) Appended() int64 { return w.appended.v.Load() }

// Flushed is the end of what is on disk (RocketMQ: flushedWhere).
func (w *Watermarks) Flushed() int64 { return w.flushed.v.Load() }

// Confirm is the end of what may be dispatched, and so be seen.
func (w *Watermarks) Confirm() int64 { return w.confirm.v.Load() }

// Dispatched is the end of what queues and index have taken in.
func (w *Watermarks) Dispatched() int64 { return w.dispatched.v.Load() }

// Replicated is the end of what enough replicas hold; 0 without replication.
func (w *Watermarks) Replicated() int64 { return w.replicated.v.Load() }

// SetConfirm moves confirm up to end; it never goes back.
func (w *Watermarks) SetConfirm(end int64) { w.confirm.raise(end) }

// SetDispatched moves dispatched up to end; it never goes back.
func (w *Watermarks) SetDispatched(end int64) { w.dispatched.raise(end) }

// SetReplicated moves replicated up to end; it never goes back.
func (w *Watermarks) SetReplicated(end int64) { w.replicated.raise(end) }

// raise stores v if it is larger. There is one writer, so no loop is needed.
func (m *mark) raise(v int64) {
	if v > m.v.Load() {
		m.v.Store(v)
	}
}

// reset places every watermark for a log that holds [min, end), all of it
// durable, of which [min, dispatched) stands in the queues.
func (w *Watermarks) reset(min, dispatched, end int64) {
	w.min.v.Store(min)
	w.appended.v.Store(end)
	w.flushed.v.Store(end)
	w.confirm.v.Store(end)
	w.dispatched.v.Store(dispatched)
	w.replicated.v.Store(0)
}
