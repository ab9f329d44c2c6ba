package actors

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// innerBatches knows the queues that were begun by an inner batch and stand in
// no queue file yet. An inner batch takes many queue offsets and one unit, so in
// a queue of single messages it would leave a gap that nothing explains, and
// everything behind it would stay invisible.
type innerBatches map[queueName]bool

type queueName struct {
	topic string
	id    int32
}

// check refuses the inner batch m for a queue that holds single messages. next is
// the queue's next offset.
func (b *innerBatches) check(t *tree, m *record.Message, next int64) error {
	name := queueName{m.Topic, m.QueueID}
	q := t.rooms.queues.Queue(m.Topic, m.QueueID)
	switch {
	case t.rooms.kinds.of(m.Topic, true) != consumequeue.Batch:
	case q != nil && q.Kind() == consumequeue.Batch, (*b)[name]:
		return nil
	case q == nil && next == 0:
		if *b == nil {
			*b = make(innerBatches)
		}
		(*b)[name] = true
		return nil
	}
	return &record.LimitError{Field: "sysFlag", Want: "an inner batch only for a queue of inner batches",
		Got: fmt.Sprintf("one for queue %s/%d, which holds single messages", m.Topic, m.QueueID)}
}
