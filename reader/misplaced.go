package reader

import (
	"fmt"
	"math"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// baseBehind is where the second of the units begins, if that is behind the start of
// the first one: so far a unit reaches at most, whatever count it tells. Where none is
// known it is the largest number.
func baseBehind(units []consumequeue.Unit) int64 {
	if len(units) > 1 && units[1].Base > units[0].Base {
		return units[1].Base
	}
	return math.MaxInt64
}

// onward is where a reader goes on from an offset that the first of the units does not
// hold: where the nearest one begins that is known, be it that one or the next. One of
// the two may tell a base that is far behind the end of the queue.
func onward(units []consumequeue.Unit, at int64) int64 {
	next := int64(math.MaxInt64)
	for i := range units[:min(len(units), 2)] {
		if u := &units[i]; u.Base+int64(u.Num) > at {
			next = min(next, max(u.Base, at+1))
		}
	}
	if next == math.MaxInt64 {
		return at + 1
	}
	return next
}

// misplaced says that the queue has no unit for an offset.
func (w *walk) misplaced(u *consumequeue.Unit, at int64) error {
	return &record.CorruptionError{Path: fmt.Sprintf("%s-%d", w.req.Topic, w.req.QueueID), Offset: at,
		Want: "a unit for this queue offset", Got: fmt.Sprintf("one for %d to %d", u.Base, u.Base+int64(u.Num)-1), Next: -1}
}
