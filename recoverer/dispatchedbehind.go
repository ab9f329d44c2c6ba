package recoverer

import (
	"errors"
	"sort"

	"github.com/actorstore/actorstore/consumequeue"
)

// dispatchedBehind looks for a good record at or above an offset that a queue or
// the index points at. A queue that cannot be read does not tell that there is none.
func (t *tail) dispatchedBehind(offset int64) (bool, error) {
	l := newLookup(t.in)
	if x := t.in.Index; x != nil && x.EndPhyOffset() >= offset && l.whole(x.EndPhyOffset(), t.plan.Limit) {
		return true, nil
	}
	var unread error
	for q := range t.in.Queues.All() {
		if err := q.Load(); err != nil && !isCorrupt(err) { // damage: what is in front of it still tells
			unread = errors.Join(unread, err)
			continue
		}
		if q.MaxPhysical() <= offset {
			continue
		}
		var units [largeWindow]consumequeue.Unit
		n, err := q.Read(max(lastBelow(q, offset)+1, q.MinOffset()), units[:])
		if err != nil && !isCorrupt(err) {
			unread = errors.Join(unread, err)
		}
		for i := range units[:n] {
			if l.backs(&units[i], q.Topic(), q.ID(), t.plan.Limit) {
				return true, nil
			}
		}
	}
	return false, unread
}

// lastUnit reads the last unit of a queue.
func lastUnit(q *consumequeue.Queue) (consumequeue.Unit, bool) {
	var one [1]consumequeue.Unit
	if q.MaxOffset() <= q.MinOffset() {
		return one[0], false
	}
	n, err := q.Read(q.MaxOffset()-1, one[:])
	return one[0], n == 1 && err == nil
}

// lastBelow is the queue offset of the last unit whose record starts below a
// physical offset; -1 if there is none.
func lastBelow(q *consumequeue.Queue, physical int64) int64 {
	lo := q.MinOffset()
	n := int(q.MaxOffset() - lo)
	var one [1]consumequeue.Unit
	i := sort.Search(n, func(i int) bool {
		k, err := q.Read(lo+int64(i), one[:])
		return err != nil || k == 0 || one[0].PhysicalOffset >= physical
	})
	if i == 0 {
		return -1
	}
	return lo + int64(i) - 1
}
