package dispatch

import (
	"errors"
	"math"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// holeUnit bounds what a unit for a damaged record claims, so that a reader that
// follows it reads little.
const holeUnit = 4096

// remember keeps the damage that gaps in queue offsets may stand for, each once.
// A record that is whole but must not be followed is none: see Reput.
func (s *QueueSink) remember(list []Damage) {
	for _, d := range list {
		n := len(s.damage)
		if !errors.Is(d.Err, record.ErrIllegal) && (n == 0 || s.damage[n-1].Next <= d.Offset) {
			s.damage = append(s.damage, d)
		}
	}
}

// hole makes the units for the offsets from next to that of the last entry, from
// the last damage between that entry's record and the one before it; none if
// there is no such damage, as the gap is then a fault of ours.
func (s *QueueSink) hole(q *consumequeue.Queue, next int64, entries []consumequeue.Entry) []consumequeue.Entry {
	n := len(entries) - 1
	if n < 0 {
		return nil
	}
	low := q.MaxPhysical()
	if n > 0 {
		low = max(low, entries[n-1].PhysicalOffset+int64(entries[n-1].Size))
	}
	for i := len(s.damage) - 1; i >= 0 && s.damage[i].Offset >= low; i-- {
		if d := s.damage[i]; d.Next <= entries[n].PhysicalOffset {
			if list := fill(next, entries[n].QueueOffset, d, q.Kind(), entries[n].StoreTimestamp); list != nil {
				return list
			}
		}
	}
	return nil
}

// fill gives each unit a piece of the damage of its own, so that units stand in
// log order; none if there are not enough bytes for that.
func fill(from, to int64, d Damage, kind consumequeue.Kind, storeTimestamp int64) []consumequeue.Entry {
	per := int64(1)
	if kind == consumequeue.Batch {
		per = math.MaxInt16
	}
	units := (to - from + per - 1) / per
	step := (d.Next - d.Offset) / units
	if step < 1 {
		return nil
	}
	list := make([]consumequeue.Entry, 0, units)
	for at := from; at < to; at += per {
		list = append(list, consumequeue.Entry{
			QueueOffset: at, PhysicalOffset: d.Offset + int64(len(list))*step, Size: int32(min(step, holeUnit)),
			StoreTimestamp: storeTimestamp, Num: int16(min(to-at, per)),
		})
	}
	return list
}
