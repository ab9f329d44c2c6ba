package reader

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// prefetchAhead is how many units in front of the one at hand a record is asked
// for: View of a log that is in memory, but not in the caches, gains a half.
const prefetchAhead = 2

// sink takes the records that a walk finds. The bytes are mapped memory. It
// reports whether the message counts, which it does not if the filter turns it
// away; an error ends the walk.
type sink interface {
	take(w *walk, u *consumequeue.Unit, b []byte) (bool, error)
}

// walk goes through units of one queue for one call of Get or View.
type walk struct {
	r      *Reader
	log    *commitlog.Log
	q      *consumequeue.Queue
	req    GetRequest
	sink   sink
	filter tagFilter
	cur    commitlog.Cursor
	place  Place

	maxCount, maxBytes int
	count, bytes       int
	more               int   // bytes that the units at hand may still bring
	skipBelow          int64 // physical: units below are known to be removed
	next               int64 // queue offset behind the unit at hand
	lending            bool  // a View function has the message at hand
	refused            bool  // by a View function, whose error it is
	topic              string
	err                error
	units              [64]consumequeue.Unit
	viewer             viewer
}

// begin finds the queue and judges the offset. False: the call is decided.
func (w *walk) begin(ctx context.Context, r *Reader, req GetRequest, s sink) bool {
	w.r, w.log, w.req, w.sink = r, r.log.Log(), req, s
	w.place = Place{}
	w.count, w.bytes, w.skipBelow, w.next, w.lending, w.refused, w.topic = 0, 0, 0, 0, false, false, req.Topic
	w.maxCount = min(max(req.MaxCount, 0), maxCountLimit)
	w.maxBytes = min(max(req.MaxBytes, 0), maxTotalBytes)
	if w.err = ctx.Err(); w.err != nil {
		return false
	}
	if w.err = w.filter.parse(req.Tags); w.err != nil {
		return false
	}
	if w.q, w.err = r.queue(req.Topic, req.QueueID); w.err != nil {
		return false
	}
	if w.q == nil {
		w.place.Status = NoMatchedLogicQueue
		return false
	}
	return w.inside()
}

// inside judges the offset as RocketMQ does, with the right answer for a reader
// that is too far ahead: the end of the queue, never its start.
func (w *walk) inside() bool {
	p, offset := &w.place, w.req.Offset
	p.MinOffset, p.MaxOffset = w.q.MinOffset(), w.q.MaxOffset()
	p.NextOffset = offset
	switch {
	case p.MaxOffset == 0:
		p.Status, p.NextOffset = NoMessageInQueue, 0
	case offset < p.MinOffset:
		p.Status, p.NextOffset = OffsetTooSmall, p.MinOffset
	case offset == p.MaxOffset:
		p.Status = OffsetOverflowOne
	case offset > p.MaxOffset:
		p.Status, p.NextOffset = OffsetOverflowBadly, p.MaxOffset
	default:
		return true
	}
	p.More = p.NextOffset < p.MaxOffset
	return false
}

// end lets go of what the walk held. It runs also while a panic of a View
// function passes through.
func (w *walk) end() {
	w.cur.Close()
	// A pointer into memory that is unmapped later must not stay in the heap.
	w.sink, w.q, w.viewer = nil, nil, viewer{}
	w.r.walks.Put(w)
}

// run walks until the result is full or the bound of one call is reached (G3).
func (w *walk) run(ctx context.Context) {
	w.cur = w.r.log.Cursor()
	if fault := mapped.Guard(func() { w.scan(ctx) }); fault != nil {
		w.faulted(fault)
	}
	if w.count > 0 {
		w.place.Status = Found
	}
	w.place.More = w.place.NextOffset < w.q.MaxOffset()
}

func (w *walk) scan(ctx context.Context) {
	unitSize := consumequeue.UnitSize
	if w.q.Kind() == consumequeue.Batch {
		unitSize = consumequeue.BatchUnitSize
	}
	for left := max(scanBytes/unitSize, w.maxCount); left > 0; {
		n, err := w.q.Read(w.place.NextOffset, w.units[:min(w.want(), left)])
		if n == 0 {
			w.noUnit(err)
			return
		}
		left -= n
		w.expect(w.units[:n])
		for i := range w.units[:n] {
			if k := i + prefetchAhead; k < n {
				w.cur.Prefetch(w.units[k].PhysicalOffset, int(w.units[k].Size))
			}
			if !w.unit(&w.units[i]) {
				return
			}
		}
		if left > 0 && ctx.Err() != nil {
			return // what is there is returned; the next call says why
		}
	}
}

// want is how many units are worth reading at once.
func (w *walk) want() int {
	n := len(w.units)
	if !w.filter.all() {
		return n
	}
	limit := w.maxCount
	if limit == 0 {
		limit = w.r.o.MaxTransferCountInMemory
	}
	// One more than fits shows whether the result is full.
	return min(n, max(limit-w.count, 0)+1)
}

// expect sums up what units may bring, so that memory is taken once. A damaged
// size costs at most the room for one transfer.
func (w *walk) expect(units []consumequeue.Unit) {
	limit := w.maxBytes
	if limit == 0 {
		limit = w.r.o.MaxTransferBytesInMemory
	}
	w.more = 0
	for i := range units {
		w.more += int(units[i].Size)
	}
	w.more = min(w.more, limit-min(w.bytes, limit), 1<<20)
}

// unit examines one unit; false ends the walk.
func (w *walk) unit(u *consumequeue.Unit) bool {
	if w.full(u) {
		return false
	}
	next := u.Base + int64(u.Num)
	if at := w.place.NextOffset; u.Base > at || next <= at {
		// Only in a batch queue: a unit there carries its own offset.
		onward := max(u.Base, at+1)
		if u.Base >= w.place.MaxOffset { // there is nothing, and perhaps something on the way
			onward = at + 1
		}
		return w.failed(onward, w.misplaced(u, at))
	}
	w.next = next
	if u.PhysicalOffset < w.skipBelow || !w.filter.mayMatch(u) {
		if w.count == 0 && u.PhysicalOffset >= w.skipBelow {
			w.place.Status = NoMatchedMessage
		}
		w.place.NextOffset = next
		return true
	}
	b, err := w.cur.Bytes(u.PhysicalOffset, int(u.Size))
	if err != nil {
		return w.missing(u, err)
	}
	if len(b) < record.BlankSize || int32(binary.BigEndian.Uint32(b)) != u.Size {
		return w.failed(next, w.mismatch(u, fmt.Sprintf("a record of %d bytes", u.Size), fmt.Sprintf("% x", b[:min(len(b), 4)])))
	}
	taken, err := w.sink.take(w, u, b)
	if err != nil {
		if ve, ok := err.(*viewError); ok {
			w.err, w.refused = ve.err, true
			return false
		}
		return w.failed(w.next, err)
	}
	w.place.NextOffset = next
	if taken {
		w.count += int(u.Num)
		w.bytes += int(u.Size)
	} else if w.count == 0 {
		w.place.Status = NoMatchedMessage
	}
	return true
}

// full says that no more fits behind what is there. Limits that were not given
// are those of a transfer from memory or from disk.
func (w *walk) full(u *consumequeue.Unit) bool {
	if w.count == 0 {
		return false // G4
	}
	maxCount, maxBytes := w.maxCount, w.maxBytes
	if maxCount == 0 || maxBytes == 0 {
		o := &w.r.o
		count, bytes := o.MaxTransferCountInMemory, o.MaxTransferBytesInMemory
		if o.InMemory > 0 && w.log.Appended()-u.PhysicalOffset > o.InMemory {
			count, bytes = o.MaxTransferCountOnDisk, o.MaxTransferBytesOnDisk
		}
		if maxCount == 0 {
			maxCount = count
		}
		if maxBytes == 0 {
			maxBytes = bytes
		}
	}
	return w.count+int(u.Num) > maxCount || w.bytes+int(u.Size) > maxBytes
}
