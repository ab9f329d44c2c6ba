package reader

import (
	"fmt"

	"github.com/actorstore/actorstore/consumequeue"
)

// TopicInfo is a topic and its queues, sorted by number.
type TopicInfo struct {
	Topic  string
	Queues []QueueInfo
}

// QueueInfo is a queue and its offsets.
type QueueInfo struct {
	ID   int32
	Kind consumequeue.Kind
	Min  int64 // first queue offset that can be read
	Max  int64 // queue offset of the next message
	// Err is why the queue cannot be read, or not to its end.
	Err error
}

// Topics lists all topics by name with their queues.
func (r *Reader) Topics() []TopicInfo {
	var topics []TopicInfo
	for q := range r.queues.All() {
		if n := len(topics); n == 0 || topics[n-1].Topic != q.Topic() {
			topics = append(topics, TopicInfo{Topic: q.Topic()})
		}
		err := q.Load()
		t := &topics[len(topics)-1]
		t.Queues = append(t.Queues, QueueInfo{ID: q.ID(), Kind: q.Kind(), Min: q.MinOffset(), Max: q.MaxOffset(), Err: err})
	}
	return topics
}

// MinOffset is the first queue offset that can be read. ErrNoQueue if there is
// no such queue.
func (r *Reader) MinOffset(topic string, queueID int32) (int64, error) {
	q, err := r.existing(topic, queueID)
	if err != nil {
		return 0, err
	}
	return q.MinOffset(), nil
}

// MaxOffset is the queue offset of the next message. ErrNoQueue if there is no
// such queue.
func (r *Reader) MaxOffset(topic string, queueID int32) (int64, error) {
	q, err := r.existing(topic, queueID)
	if err != nil {
		return 0, err
	}
	return q.MaxOffset(), nil
}

// existing finds a queue that must be there.
func (r *Reader) existing(topic string, queueID int32) (*consumequeue.Queue, error) {
	q, err := r.queue(topic, queueID)
	if err == nil && q == nil {
		err = noQueue(topic, queueID)
	}
	return q, r.gone(err)
}

// unit reads the unit that holds a queue offset.
func unitAt(q *consumequeue.Queue, offset int64) (consumequeue.Unit, error) {
	var u [1]consumequeue.Unit
	lo, hi := q.MinOffset(), q.MaxOffset()
	if offset < lo || offset >= hi {
		return u[0], fmt.Errorf("%w: %s-%d holds [%d, %d), not %d", ErrNoMessage, q.Topic(), q.ID(), lo, hi, offset)
	}
	n, err := q.Read(offset, u[:])
	if err != nil {
		return u[0], err
	}
	if n == 0 || offset < u[0].Base || offset >= u[0].Base+int64(u[0].Num) {
		return u[0], fmt.Errorf("%w: %s-%d has no unit for %d", ErrNoMessage, q.Topic(), q.ID(), offset)
	}
	return u[0], nil
}
