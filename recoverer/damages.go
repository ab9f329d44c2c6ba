package recoverer

import (
	"math"
	"slices"
	"sort"

	"github.com/actorstore/actorstore/consumequeue"
)

// smallestRecord is the least that a record takes in the log.
const smallestRecord = 91

// holeUnit bounds what a unit for a damaged record claims, so that a reader
// which follows it reads little.
const holeUnit = 4096

// damages are the damaged ranges of a log, in order and apart from each other.
type damages struct{ list []Damage }

// add keeps the list in order; a range that is known is not added again.
func (d *damages) add(x Damage) bool {
	i := d.from(x.Offset)
	if i < len(d.list) && d.list[i].Offset < x.Next {
		return false
	}
	d.list = slices.Insert(d.list, i, x)
	return true
}

// from is the first range that ends behind an offset.
func (d *damages) from(offset int64) int {
	return sort.Search(len(d.list), func(i int) bool { return d.list[i].Next > offset })
}

// next is the first range that ends behind an offset.
func (d *damages) next(offset int64) (Damage, bool) {
	if n := len(d.list); n == 0 || d.list[n-1].Next <= offset {
		return Damage{}, false
	}
	return d.list[d.from(offset)], true
}

// at is the range that holds an offset.
func (d *damages) at(offset int64) (Damage, bool) {
	i := d.from(offset)
	if i < len(d.list) && d.list[i].Offset <= offset {
		return d.list[i], true
	}
	return Damage{}, false
}

// holds tells whether a unit points into a damaged range.
func (d *damages) holds(u *consumequeue.Unit) bool {
	x, ok := d.at(u.PhysicalOffset)
	return ok && u.PhysicalOffset+int64(u.Size) <= x.Next
}

// between is the last range inside [from, to).
func (d *damages) between(from, to int64) (Damage, bool) {
	i := d.from(to) - 1
	if i < 0 || d.list[i].Offset < from {
		return Damage{}, false
	}
	return d.list[i], true
}

// room is how many records may have stood in [from, to) where it is damaged.
func (d *damages) room(from, to int64) int64 {
	n := int64(0)
	for i := d.from(from); i < len(d.list) && d.list[i].Offset < to; i++ {
		n += (min(d.list[i].Next, to) - max(d.list[i].Offset, from)) / smallestRecord
	}
	return n
}

// fill makes the units for the queue offsets [from, to): each points at a piece
// of the range [offset, next) of its own, so that they stand in log order.
func fill(from, to, offset, next, storeTimestamp int64, kind consumequeue.Kind) []consumequeue.Entry {
	per := int64(1)
	if kind == consumequeue.Batch {
		per = math.MaxInt16
	}
	units := (to - from + per - 1) / per
	if units <= 0 || (next-offset)/units < 1 {
		return nil
	}
	step := (next - offset) / units
	out := make([]consumequeue.Entry, 0, units)
	for at := from; at < to; at += per {
		out = append(out, consumequeue.Entry{
			QueueOffset: at, PhysicalOffset: offset, Size: int32(min(step, holeUnit)),
			StoreTimestamp: storeTimestamp, Num: int16(min(to-at, per)),
		})
		offset += step
	}
	return out
}
