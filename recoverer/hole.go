package recoverer

import (
	"fmt"

	"github.com/actorstore/actorstore/consumequeue"
)

// hole gives units to the offsets between a queue's last record and this one.
// Units that already point at the damage stay.
func (p *replay) hole(st *queueState, e *consumequeue.Entry) error {
	from := st.next
	units := p.unitsFor(st, e)
	if units == nil {
		st.next = e.QueueOffset
		return p.renumber(st, e)
	}
	p.tell(st, from, fmt.Sprintf("records for the offsets %d to %d", from, e.QueueOffset-1),
		fmt.Sprintf("none in front of the record at %d", e.PhysicalOffset))
	for i := range units {
		h := &units[i]
		p.rep.Holes++
		if h.QueueOffset >= st.max() {
			if err := p.append(st, h); err != nil {
				return err
			}
			continue
		}
		u, found, err := st.unit(h.QueueOffset)
		switch {
		case err != nil && !isCorrupt(err):
			return err
		case err == nil && found && p.damage.holds(&u):
			continue
		case err == nil && !found:
			continue
		}
		st.stale()
		p.rep.UnitsRewritten++
		if err := st.q.Rewrite(h.QueueOffset, *h); err != nil {
			return err
		}
	}
	st.next = e.QueueOffset
	return p.accept(st, e)
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
