package checkpoint

import (
	"encoding/binary"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

var queuesMagic = sealedMagic{'A', 'S', 'Q', 'U', 'E', 'U', 0, 1}

// QueueSummary tells where each queue ended when everything below Dispatched was
// in the queues and synced. It saves reading every queue at the start; a store
// without it, or one whose log has been changed since, reads them.
type QueueSummary struct {
	Dispatched   int64 // physical end up to which Queues is true
	IndexApplied int64 // physical end up to which the index is true, -1 = unknown
	Queues       []QueueEnd
}

// QueueEnd is one queue of a summary.
type QueueEnd struct {
	Topic     string
	QueueID   int32
	Kind      uint8 // consumequeue.Kind
	MinOffset int64 // first queue offset that is readable
	MaxOffset int64 // next queue offset
}

// queueEntrySize is the length of an entry without its topic.
const queueEntrySize = 2 + 4 + 1 + 8 + 8

// ReadQueues reads the summary. nil without an error: there is none. A damaged
// file is *record.CorruptionError: take it as absent, with a warning.
func ReadQueues(fsys mapped.FS, layout Layout) (*QueueSummary, error) {
	c, err := readSealed(fsys, layout.QueuesFile(), queuesMagic)
	if err != nil || c == nil {
		return nil, err
	}
	return decodeQueues(c)
}

func decodeQueues(c *cursor) (*QueueSummary, error) {
	s := &QueueSummary{Dispatched: c.u64(), IndexApplied: c.u64()}
	// The count is bounded by the bytes that are there before it sizes anything.
	s.Queues = make([]QueueEnd, 0, min(int64(c.count), int64(len(c.b)-c.at)/queueEntrySize))
	for range c.count {
		at := int64(c.at)
		q := QueueEnd{Topic: c.text(), QueueID: int32(c.u32()), Kind: c.u8(), MinOffset: c.u64(), MaxOffset: c.u64()}
		if err := c.err(); err != nil {
			return nil, err
		}
		if err := q.check(); err != nil {
			return nil, &record.CorruptionError{Path: c.path, Offset: at, Want: "a queue", Got: err.Error(), Next: -1}
		}
		s.Queues = append(s.Queues, q)
	}
	if err := c.end(); err != nil {
		return nil, err
	}
	return s, nil
}

func (q *QueueEnd) check() error {
	if err := checkName(q.Topic); err != nil {
		return err
	}
	if q.QueueID < 0 || q.MinOffset < 0 || q.MaxOffset < q.MinOffset {
		return fmt.Errorf("queue %s-%d: want id >= 0 and 0 <= min <= max, got min %d, max %d",
			q.Topic, q.QueueID, q.MinOffset, q.MaxOffset)
	}
	return nil
}

// WriteQueues replaces the summary. The queues' files are synced before.
func WriteQueues(fsys mapped.FS, layout Layout, s *QueueSummary) error {
	size := 16
	for i := range s.Queues {
		if err := s.Queues[i].check(); err != nil {
			return err
		}
		size += queueEntrySize + len(s.Queues[i].Topic)
	}
	b := newSealed(queuesMagic, len(s.Queues), size)
	b = binary.BigEndian.AppendUint64(b, uint64(s.Dispatched))
	b = binary.BigEndian.AppendUint64(b, uint64(s.IndexApplied))
	for i := range s.Queues {
		q := &s.Queues[i]
		b = appendText(b, q.Topic)
		b = binary.BigEndian.AppendUint32(b, uint32(q.QueueID))
		b = append(b, q.Kind)
		b = binary.BigEndian.AppendUint64(b, uint64(q.MinOffset))
		b = binary.BigEndian.AppendUint64(b, uint64(q.MaxOffset))
	}
	return replace(fsys, layout, layout.QueuesFile(), seal(b))
}

// RemoveQueues takes the summary away for good; one that is missing is no error.
func RemoveQueues(fsys mapped.FS, layout Layout) error {
	return remove(fsys, layout.QueuesFile(), "queue summary")
}
