package dispatch

import (
	"log/slog"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// windowSize is how much log one window covers, about.
const windowSize = 1 << 20

// Batch is what one window brings to one queue, in order.
type Batch struct {
	Queue   *consumequeue.Queue
	Shard   int // which queue sink writes it
	Entries []consumequeue.Entry
}

// Damage is a range of the log that holds no readable record, or one that must
// not be followed.
type Damage struct {
	Offset, Next int64 // physical: the range, Next exclusive
	Err          error
}

// Window is a stretch of log, prepared for the sinks. It is filled by Reput and
// read-only afterwards.
type Window struct {
	Start, End int64 // physical
	Records    int
	// LastRecord is where the last record starts, -1 if there is none, and
	// LastTimestamp its store time in ms.
	LastRecord, LastTimestamp int64

	Batches []Batch
	// Keyed are the records that the index wants, their bytes owned by the
	// window, and the last record behind them: RocketMQ's index may start a new
	// file on a record without keys.
	Keyed  []record.DispatchRequest
	Damage []Damage

	plain bool // the last of Keyed has no keys
	arena []byte
	users atomic.Int32
}

// Share says how many sinks will call Done.
func (w *Window) Share(sinks int) { w.users.Store(int32(sinks)) }

// Done is called by each sink when it needs the window no longer; true for the
// last one, who gives it back.
func (w *Window) Done() bool { return w.users.Add(-1) == 0 }

// LogValue keeps loggers from looking into a window: an actor system logs
// messages that reach nobody, and somebody else may be filling this one.
func (w *Window) LogValue() slog.Value { return slog.StringValue("window") }

// String is for those who print instead.
func (w *Window) String() string { return "window" }

func (w *Window) reset(start int64) {
	w.Start, w.End, w.Records = start, start, 0
	w.LastRecord, w.LastTimestamp = -1, 0
	w.Batches = w.Batches[:0]
	w.Keyed = w.Keyed[:0]
	w.Damage = w.Damage[:0]
	w.arena = w.arena[:0]
	w.plain = false
}

// batch gives the next batch, with the memory of an earlier window.
func (w *Window) batch(q *consumequeue.Queue, shard int) *Batch {
	if n := len(w.Batches); n < cap(w.Batches) {
		w.Batches = w.Batches[:n+1]
	} else {
		w.Batches = append(w.Batches, Batch{})
	}
	b := &w.Batches[len(w.Batches)-1]
	b.Queue, b.Shard, b.Entries = q, shard, b.Entries[:0]
	return b
}

// keep copies what the index needs of a record.
func (w *Window) keep(req *record.DispatchRequest) {
	plain := len(req.UniqKey)+len(req.Keys)+len(req.Tags) == 0
	if w.plain {
		w.Keyed = w.Keyed[:len(w.Keyed)-1]
	}
	w.plain = plain
	w.Keyed = append(w.Keyed, *req)
	kept := &w.Keyed[len(w.Keyed)-1]
	kept.UniqKey = w.own(req.UniqKey)
	kept.Keys = w.own(req.Keys)
	kept.Tags = w.own(req.Tags)
	kept.MultiDispatch, kept.MultiOffset = nil, nil
}

func (w *Window) own(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	at := len(w.arena)
	w.arena = append(w.arena, b...)
	return w.arena[at:len(w.arena):len(w.arena)]
}
