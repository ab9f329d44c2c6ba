package consumequeue

import (
	"errors"

	"github.com/actorstore/actorstore/commitlog/record"
)

// searchBase finds the unit that holds a queue offset of a batch queue, else
// the first behind it, by binary search over the base offsets of [first, end).
func (q *Queue) searchBase(offset, first, end int64) (int64, error) {
	lo, hi := first, end
	for lo < hi {
		mid := lo + (hi-lo)/2
		next, err := q.nextAt(mid, first, end)
		if err != nil {
			return 0, err
		}
		if next <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// nextAt is the queue offset behind a unit of a batch queue. A unit that does not fit
// between its neighbours, while these leave room for one, is the one that is damaged,
// and reaches to where the one behind it begins: believed, or asked in vain, it would
// hide from every search the units on one side of it.
func (q *Queue) nextAt(index, first, end int64) (int64, error) {
	if index > first && index+1 < end {
		var near [3]Unit
		n, err := q.readUnits(index-1, index+2, near[:])
		if err != nil && !errors.Is(err, record.ErrCorrupt) {
			return 0, err
		}
		before, u, behind := &near[0], &near[1], &near[2]
		if n == len(near) {
			fits := before.next() <= u.Base && u.next() <= behind.Base
			if !fits && before.next() < behind.Base {
				return behind.Base, nil
			}
			return u.next(), nil
		}
	}
	u, err := q.unitAt(index)
	if errors.Is(err, record.ErrCorrupt) && index+1 < end {
		if behind, err := q.unitAt(index + 1); err == nil {
			return behind.Base, nil
		}
	}
	return u.next(), err
}
