package recoverer

import (
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// queueKey names a queue.
type queueKey struct {
	topic string
	id    int32
}

// history knows the last queue offset of each queue in the part of the log that
// was accepted. It is built only when a bad place has good records behind it.
type history struct {
	in     *Input
	log    *commitlog.Reader
	topics *record.Interner
	marked bool  // what lies below the scan is known to be right
	own    bool  // nobody else has written behind the mark
	from   int64 // where the scan began
	at     int64 // built up to here
	record int64 // start of the last record below, -1
	last   map[queueKey]int64
	odd    map[queueKey]int64 // a number that leaves some out, until the next one confirms it
	before int64              // store time of the record in front of the last one, -1
	time   int64              // and of that one
}

func (h *history) init(in *Input, plan *Plan) {
	h.in, h.log = in, in.Log.Reader()
	h.from, h.at = plan.ScanFrom, plan.ScanFrom
	h.marked, h.own, h.record = plan.Mark != nil, plan.Own, -1
	h.before, h.time = -1, -1
}

// firstContinuing gives the offset of the first record of a run that continues
// the log, which was good up to end and whose last record starts at last; -1 if
// none does.
func (h *history) firstContinuing(r *run, end, last int64) int64 {
	h.build(end)
	size := h.in.Log.SegmentSize()
	newest := int64(-1)
	if last >= 0 {
		newest = h.storeTime(last)
	}
	found := int64(-1)
	h.each(r.start, r.end, func(req *record.DispatchRequest) bool {
		// In a log of ours nothing old can stand, and a store time may be damaged.
		inReach := !h.own && req.PhysicalOffset/size == max(end-1, 0)/size
		if inReach && req.StoreTimestamp < newest && !h.wrongTime(newest, req.StoreTimestamp) {
			return true
		}
		if !record.IsTransactionPending(req.SysFlag) && req.QueueOffset <= h.lastOf(req) && !h.in.numbersAgain(req) {
			return true
		}
		found = req.PhysicalOffset
		return false
	})
	return found
}

// build brings the map up to the end of what was accepted.
func (h *history) build(end int64) {
	if h.last == nil {
		h.topics = record.NewInterner(1 << 20)
		h.last, h.odd = make(map[queueKey]int64), make(map[queueKey]int64)
	}
	if h.at >= end {
		return
	}
	// Damaged records were passed over: what they say counts for nothing here either.
	h.eachWhole(h.at, end, func(req *record.DispatchRequest) bool {
		h.record = req.PhysicalOffset
		h.before, h.time = h.time, req.StoreTimestamp
		if !record.IsTransactionPending(req.SysFlag) {
			h.number(queueKey{req.Topic, req.QueueID}, req.QueueOffset, req.QueueOffset+max(int64(req.InnerNum), 1)-1)
		}
		return true
	})
	h.at = max(h.at, end)
}

// number notes the numbers of a record. If they do not follow those of the one in
// front, and leave some out, a bit may be wrong: the next record shows whether. A
// number that is too high makes others old that are not.
func (h *history) number(key queueKey, first, last int64) {
	had, known := h.last[key]
	if !known {
		had = h.below(key)
	}
	odd, is := h.odd[key]
	delete(h.odd, key)
	if first > had+1 && !(is && first == odd+1) {
		h.odd[key] = last
		return
	}
	h.last[key] = last
}

// wrongTime tells whether the store time of the last record, by which one behind it
// is older, has one bit wrong: with that it lies between the ones around it.
func (h *history) wrongTime(newest, next int64) bool {
	if h.time != newest || h.before < 0 {
		return false
	}
	for bit := range 63 {
		if t := newest ^ 1<<bit; t >= h.before && t <= next {
			return true
		}
	}
	return false
}

// each visits the records of a range, past what is no record.
func (h *history) each(from, to int64, visit func(*record.DispatchRequest) bool) {
	h.scan(from, to, record.CRCNone, visit)
}

// eachWhole visits those whose checksums hold.
func (h *history) eachWhole(from, to int64, visit func(*record.DispatchRequest) bool) {
	h.scan(from, to, record.CRCRecord, visit)
}

func (h *history) scan(from, to int64, crc record.CRCMode, visit func(*record.DispatchRequest) bool) {
	s := h.log.Scan(from, to, crc)
	defer s.Close()
	parser := record.DispatchParser{Topics: h.topics, Delays: h.in.Delays}
	var req record.DispatchRequest
	for s.Pos() < to {
		stop := false
		var bad error
		fault := mapped.Guard(func() {
			for !stop {
				var e commitlog.Entry
				if e, bad = s.Next(); bad != nil {
					return
				}
				if e.Kind == record.KindRecord && parser.Parse(e.Bytes, &req) == nil {
					stop = !visit(&req)
				}
			}
		})
		if fault != nil {
			bad = fault
		}
		if stop || s.Pos() >= to {
			return
		}
		if _, found := s.ResyncPast(bad); !found {
			return
		}
	}
}

// lastOf is the last queue offset of the record's queue in the accepted part, -1
// if none is known.
func (h *history) lastOf(req *record.DispatchRequest) int64 {
	key := queueKey{req.Topic, req.QueueID}
	if v, ok := h.last[key]; ok {
		return v
	}
	return h.below(key)
}

// below is that in front of the scan, of which the queue itself is asked.
func (h *history) below(key queueKey) int64 {
	if !h.marked {
		return -1
	}
	q := h.in.Queues.Queue(key.topic, key.id)
	if q == nil || q.Load() != nil {
		return -1
	}
	return h.lastBacked(q, lastBelow(q, h.from))
}

// lastBacked is the queue offset of the last unit up to one that a record backs, -1 if
// that is none of the last ones: a unit that is damaged makes no record old.
func (h *history) lastBacked(q *consumequeue.Queue, last int64) int64 {
	l := newLookup(h.in)
	var one [1]consumequeue.Unit
	for at := last; at >= max(q.MinOffset(), last-largeWindow); at-- {
		if n, err := q.Read(at, one[:]); err == nil && n == 1 && one[0].PhysicalOffset < h.from && l.backs(&one[0], q.Topic(), q.ID(), h.from) {
			return at
		}
	}
	return -1
}

// storeTime is the store time of the record at offset, -1 if it cannot be read.
func (h *history) storeTime(offset int64) int64 {
	t := int64(-1)
	_ = viewRest(h.log, offset, h.in.Log.Segments()[len(h.in.Log.Segments())-1].End(), func(b []byte) {
		if v, err := record.StoreTimestampOf(b); err == nil {
			t = v
		}
	})
	return t
}
