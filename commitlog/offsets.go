package commitlog

import "iter"

// OffsetTable holds the next queue offset of every (topic, queueId): RocketMQ's
// topicQueueTable. It belongs to the append side alone and is filled from the
// queues by recovery, so that offsets are dense in log order (I4).
type OffsetTable struct {
	topics map[string]*topicOffsets
}

// topicOffsets keeps small queue ids in a slice, which is nearly all of them.
type topicOffsets struct {
	dense  []int64
	sparse map[int32]*int64
}

// denseQueues bounds the slice, so that one odd queue id costs no memory.
const denseQueues = 1024

// NewOffsetTable makes an empty table: every queue starts at 0.
func NewOffsetTable() *OffsetTable {
	return &OffsetTable{topics: make(map[string]*topicOffsets)}
}

// Next points at the next queue offset of a queue. The pointer is valid until
// another queue is asked for.
func (t *OffsetTable) Next(topic string, queueID int32) *int64 {
	to := t.topics[topic]
	if to == nil {
		to = &topicOffsets{}
		t.topics[topic] = to
	}
	if queueID >= 0 && queueID < denseQueues {
		for int(queueID) >= len(to.dense) {
			to.dense = append(to.dense, 0)
		}
		return &to.dense[queueID]
	}
	p := to.sparse[queueID]
	if p == nil {
		if to.sparse == nil {
			to.sparse = make(map[int32]*int64)
		}
		p = new(int64)
		to.sparse[queueID] = p
	}
	return p
}

// Delete forgets a topic: its queues start at 0 again.
func (t *OffsetTable) Delete(topic string) { delete(t.topics, topic) }

// Topics visits every topic that has been named so far, in no order.
func (t *OffsetTable) Topics() iter.Seq[string] {
	return func(yield func(string) bool) {
		for topic := range t.topics {
			if !yield(topic) {
				return
			}
		}
	}
}
