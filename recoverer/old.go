package recoverer

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
)

// dropOld ends the log in front of good records that another engine's truncation
// has left. If the last record written behind a cut ends just where an old one
// starts, nothing in between is bad: the old ones look like the rest of the log,
// RocketMQ takes them in again, and their queue offsets are given out twice.
// They are told by two signs together: all of them are older than the record in
// front of them, and they give out queue offsets again. A clock that was set
// back gives only the first sign. Our own truncation leaves zeros.
func (r *recovery) dropOld() {
	t := r.tail
	if r.plan.Own || r.plan.Doubt != nil {
		return
	}
	newest := t.tailTimes()
	for i, b := range t.backs {
		if newest[i] >= b.before {
			continue
		}
		if t.breaksOff(b.offset) {
			t.endAt(b.offset)
			return
		}
		r.find(Finding{Where: CommitLog, Path: r.in.Layout.CommitLog(), Offset: b.offset, End: t.end,
			Want: fmt.Sprintf("store times from %d on", b.before), Got: fmt.Sprintf("none above %d: the clock was set back", newest[i])})
	}
}

// tailTimes gives for each place where times go back the newest time from there
// to the end of the log.
func (t *tail) tailTimes() []int64 {
	if len(t.backs) == 0 {
		return nil
	}
	newest := make([]int64, len(t.backs))
	i := 0
	t.past.each(t.backs[0].offset, t.end, func(req *record.DispatchRequest) bool {
		for i+1 < len(t.backs) && req.PhysicalOffset >= t.backs[i+1].offset {
			i++
		}
		newest[i] = max(newest[i], req.StoreTimestamp)
		return true
	})
	for i := len(newest) - 2; i >= 0; i-- {
		newest[i] = max(newest[i], newest[i+1])
	}
	return newest
}

// breaksOff tells whether the records from offset on give out again an offset
// that their queue had in front of it, and go on from there without a fault.
// A queue offset that is merely missing may be damage, and so may a single one
// that is wrong; neither is a reason to cut anything.
func (t *tail) breaksOff(offset int64) bool {
	var h history
	h.init(t.in, t.plan)
	h.build(offset)
	next := make(map[queueKey]int64)
	again := make(map[queueKey]bool)
	h.each(offset, t.end, func(req *record.DispatchRequest) bool {
		if record.IsTransactionPending(req.SysFlag) || t.in.numbersAgain(req) {
			return true
		}
		key := queueKey{req.Topic, req.QueueID}
		if want, seen := next[key]; !seen {
			again[key] = req.QueueOffset <= h.lastOf(req)
		} else if req.QueueOffset != want {
			again[key] = false
		}
		next[key] = req.QueueOffset + max(int64(req.InnerNum), 1)
		return true
	})
	for _, yes := range again {
		if yes {
			return true
		}
	}
	return false
}

// numbersAgain tells that a topic's offsets say nothing about age: it was deleted
// once, and began at 0 again.
func (in *Input) numbersAgain(req *record.DispatchRequest) bool {
	_, deleted := in.Deleted[req.Topic]
	return deleted
}

// endAt takes back what was accepted from offset on.
func (t *tail) endAt(offset int64) {
	var h history
	h.init(t.in, t.plan)
	h.build(offset)
	t.oldAt, t.end, t.last = offset, offset, h.record
	for n := len(t.damage); n > 0 && t.damage[n-1].Offset >= offset; n-- {
		t.damage = t.damage[:n-1]
	}
	t.why = nil
}
