package recoverer

import (
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
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
}

func (h *history) init(in *Input, plan *Plan) {
	h.in, h.log = in, in.Log.Reader()
	h.from, h.at = plan.ScanFrom, plan.ScanFrom
	h.marked, h.own, h.record = plan.Mark != nil, plan.Own, -1
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
		if inReach && req.StoreTimestamp < newest {
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
		h.last = make(map[queueKey]int64)
	}
	if h.at >= end {
		return
	}
	h.each(h.at, end, func(req *record.DispatchRequest) bool {
		h.record = req.PhysicalOffset
		if !record.IsTransactionPending(req.SysFlag) {
			h.last[queueKey{req.Topic, req.QueueID}] = req.QueueOffset + max(int64(req.InnerNum), 1) - 1
		}
		return true
	})
	h.at = max(h.at, end)
}

// each visits the records of a range, past what is no record.
func (h *history) each(from, to int64, visit func(*record.DispatchRequest) bool) {
	s := h.log.Scan(from, to, record.CRCNone)
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
// if none is known. What lies below the scan is asked of the queue itself.
func (h *history) lastOf(req *record.DispatchRequest) int64 {
	if v, ok := h.last[queueKey{req.Topic, req.QueueID}]; ok {
		return v
	}
	if !h.marked {
		return -1
	}
	q := h.in.Queues.Queue(req.Topic, req.QueueID)
	if q == nil || q.Load() != nil {
		return -1
	}
	return lastBelow(q, h.from)
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
