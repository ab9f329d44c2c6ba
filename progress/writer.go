package progress

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
)

// summaryBytes of log bring the next summary forward: what lies behind the last
// one is what an opening after a kill has to replay.
const summaryBytes = 256 << 20

// Options say what is written about, and where.
type Options struct {
	FS     mapped.FS
	Layout checkpoint.Layout
	Log    *commitlog.Log
	Queues *consumequeue.Store
	Index  *indexsvc.Service // nil if there is none

	SyncFlush bool          // how the log is written; it stands in the mark
	Interval  time.Duration // between summaries
	ReadOnly  bool          // as it was found: nothing is written (P5)
	Remember  func() error  // writes what else is to be kept; may be nil
}

// Look is how far the derived parts have come, taken in this order.
type Look struct {
	Last   *Record // that all sinks have taken in, nil if none is known
	Queues int64   // end of the log that all queues hold
	Index  int64   // end of the log that the index holds, -1 without one
}

// Record is a record of the log by its place.
type Record struct {
	Start, End     int64 // physical
	StoreTimestamp int64 // ms
}

// Writer keeps what the store last wrote down about itself.
type Writer struct {
	o         Options
	fields    checkpoint.Checkpoint
	marked    int64                  // flushed end of the last mark
	summaryAt int64                  // dispatched end of the last summary
	indexAt   int64                  // what it claims of the index
	summaried time.Time              // when that was
	next      *summary               // taken, but the log is not yet flushed so far
	unsynced  error                  // a sync of queues or index failed: no summary claims them any more
	renew     bool                   // a mark failed, and what it left on disk is unknown
	page      *checkpoint.Checkpoint // goes with the mark on disk, but is not written yet
	pageLast  int64                  // start of the last record below that mark
	onDisk    checkpoint.Checkpoint  // the page as it was written last
	proven    atomic.Int64           // start of the record that the mark on disk counts by
}

// New goes on from what recovery has left: the page as it stands on disk, and the
// start of the last record, -1 if there is none.
func New(o Options, page checkpoint.Checkpoint, last int64) *Writer {
	w := &Writer{o: o, fields: page, onDisk: page}
	w.proven.Store(last)
	return w
}

// Proven is the start of the record that the mark on disk counts by: while it
// stands in the log the mark says something. Any goroutine may ask.
func (w *Writer) Proven() int64 { return w.proven.Load() }

// Pass writes what is due. now is of a clock that nobody sets. What fails is tried
// again in the next pass, each time in a way that needs nothing of the failed one;
// only a failed sync of queues and index is final.
func (w *Writer) Pass(at Look, now time.Time) error {
	if w.o.ReadOnly {
		return nil
	}
	due := w.summaried.IsZero() || now.Sub(w.summaried) >= w.o.Interval
	behind := at.Queues - w.summaryAt
	more := behind > 0 || at.Index > w.indexAt // an index that catches up needs no puts
	if w.next == nil && more && (due || behind >= summaryBytes) {
		w.next = w.take(at)
	}
	return errors.Join(w.summarize(now), w.mark(), w.remember())
}

// Finish writes everything down for the last time. The log is flushed and the
// sinks are at rest.
func (w *Writer) Finish(at Look, now time.Time) error {
	if w.o.ReadOnly {
		return nil
	}
	if w.unsynced != nil {
		return w.unsynced
	}
	w.next = w.take(at)
	if err := w.summarize(now); err != nil {
		return err
	}
	return errors.Join(w.mark(), w.remember())
}

func (w *Writer) remember() error {
	if w.o.Remember == nil {
		return nil
	}
	return w.o.Remember()
}
