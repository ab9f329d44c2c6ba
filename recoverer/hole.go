package recoverer

import (
	"fmt"

	"github.com/actorstore/actorstore/consumequeue"
)

// hole gives units to the offsets between a queue's last record and this one.
// If those that stand there all point at damage, they stay.
func (p *replay) hole(st *queueState, e *consumequeue.Entry) error {
	from := st.next
	kept, err := p.explained(st, from, e)
	if err != nil {
		return err
	}
	if kept {
		p.rep.Holes += e.QueueOffset - from
		st.next = e.QueueOffset
		return p.accept(st, e)
	}
	units := p.unitsFor(st, e)
	if units == nil {
		st.next = e.QueueOffset
		return p.renumber(st, e)
	}
	p.tell(st, from, fmt.Sprintf("records for the offsets %d to %d", from, e.QueueOffset-1),
		fmt.Sprintf("none in front of the record at %d", e.PhysicalOffset))
	if st.kind == consumequeue.Batch && st.next < st.max() {
		if err := p.cutBack(st, st.next); err != nil {
			return err
		}
	}
	for i := range units {
		h := &units[i]
		p.rep.Holes++
		if h.QueueOffset >= st.max() {
			err = p.append(st, h)
		} else {
			st.stale()
			p.rep.UnitsRewritten++
			err = st.q.Rewrite(h.QueueOffset, *h)
		}
		if err != nil {
			return err
		}
	}
	st.next = e.QueueOffset
	return p.accept(st, e)
}

// explained tells whether units stand at all offsets from one on up to a record's, and
// each points at damage of its own in front of it.
func (p *replay) explained(st *queueState, from int64, e *consumequeue.Entry) (bool, error) {
	to := e.QueueOffset
	if st.q == nil || to > st.q.MaxOffset() {
		return false, nil
	}
	end := st.lastEnd
	for from < to {
		u, found, err := st.unit(from)
		if err != nil && !isCorrupt(err) {
			return false, err
		}
		if err != nil || !found || u.PhysicalOffset < end || !p.damage.holds(&u) {
			return false, nil
		}
		end = u.PhysicalOffset + int64(u.Size)
		from += max(int64(u.Num), 1)
	}
	return from == to && end <= e.PhysicalOffset, nil
}

// unitsFor makes them: from the damage in front of the record, or, where the log
// shows none, from any bytes of the log that no unit of this queue points at,
// off by one so that they cannot be taken for a record. nil: there is no room.
func (p *replay) unitsFor(st *queueState, e *consumequeue.Entry) []consumequeue.Entry {
	low := st.lastEnd
	if d, ok := p.damage.between(low, e.PhysicalOffset); ok {
		return fill(st.next, e.QueueOffset, d.Offset, d.Next, e.StoreTimestamp, st.kind)
	}
	low = max(low, p.min)
	if e.PhysicalOffset-low < 2 {
		return nil
	}
	return fill(st.next, e.QueueOffset, low+1, e.PhysicalOffset, e.StoreTimestamp, st.kind)
}
