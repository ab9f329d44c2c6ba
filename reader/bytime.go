package reader

import (
	"errors"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// MessageTime is the store time in ms of the message at a queue offset. Errors
// are ErrNoQueue, ErrNoMessage, and those of Lookup for its record.
func (r *Reader) MessageTime(topic string, queueID int32, offset int64) (int64, error) {
	q, err := r.existing(topic, queueID)
	if err != nil {
		return 0, err
	}
	u, err := unitAt(q, offset)
	if err != nil {
		return 0, r.gone(err)
	}
	if q.Kind() == consumequeue.Batch {
		return u.StoreTimestamp, nil
	}
	cur := r.log.Cursor()
	defer cur.Close()
	t, err := r.timeOf(&cur, u)
	return t, r.gone(err)
}

// OffsetByTime finds a queue offset by store time in ms: with Lower the first
// message not before it, with Upper the last one not after it; see
// consumequeue.Queue.OffsetByTime for gaps and for clocks that were set back. A
// message that cannot be read counts as being as old as the one in front of it.
func (r *Reader) OffsetByTime(topic string, queueID int32, t int64, bound consumequeue.Boundary) (int64, error) {
	q, err := r.existing(topic, queueID)
	if err != nil {
		return 0, err
	}
	cur := r.log.Cursor()
	defer cur.Close()
	at, err := q.OffsetByTime(t, bound, func(u consumequeue.Unit) (int64, error) {
		return r.timeNear(&cur, q, u)
	})
	return at, r.gone(err)
}

// timeOf reads the store time of the record that a unit points at.
func (r *Reader) timeOf(cur *commitlog.Cursor, u consumequeue.Unit) (t int64, err error) {
	err = r.fetch(cur, u.PhysicalOffset, func(b []byte) error {
		t, err = record.StoreTimestampOf(b)
		return err
	})
	return t, err
}

// damagedRun is how many damaged records in a row a search by time steps over.
const damagedRun = 64

// timeNear is timeOf for a search: -1 for what retention has removed, and the
// time of the message in front of it for what is damaged.
func (r *Reader) timeNear(cur *commitlog.Cursor, q *consumequeue.Queue, u consumequeue.Unit) (int64, error) {
	var first error
	for range damagedRun {
		t, err := r.timeOf(cur, u)
		if err == nil {
			return t, nil
		}
		var missing *commitlog.MissingError
		if errors.As(err, &missing) && u.PhysicalOffset < r.log.Log().Min() {
			return -1, nil
		}
		if first == nil {
			first = err
		}
		before, err := unitAt(q, u.Base-1)
		if errors.Is(err, ErrNoMessage) || errors.Is(err, consumequeue.ErrOffsetTooSmall) {
			return -1, nil
		}
		if err != nil {
			return 0, first
		}
		u = before
	}
	return 0, first
}
