package consumequeue

import (
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
)

var (
	// ErrOffsetTooSmall: the queue offset is below MinOffset, for example
	// because the unit has expired meanwhile. Go on at MinOffset.
	ErrOffsetTooSmall = errors.New("queue offset below the minimum")
	// ErrReadOnly: the store was opened read-only.
	ErrReadOnly = errors.New("consume queues are read-only")
	// ErrClosed: the store has been closed.
	ErrClosed = errors.New("consume queues are closed")
	// ErrDeleted: the queue has been destroyed, with its topic or alone.
	ErrDeleted = errors.New("queue has been deleted")
)

// GapError: an entry does not continue its queue. Nothing was written, as the
// unit would stand at an offset that is not its record's.
type GapError struct {
	Topic string
	Queue int32
	Want  int64 // the queue's MaxOffset
	Got   int64 // the entry's queue offset
}

// Error names the queue and both offsets.
func (e *GapError) Error() string {
	return fmt.Sprintf("queue %s-%d: want an entry for offset %d, got %d", e.Topic, e.Queue, e.Want, e.Got)
}

// EntryError: an entry cannot stand in its queue whatever its offset: it points
// at no record, or in front of the record of the unit before. Nothing was written.
type EntryError struct {
	Topic string
	Queue int32
	Entry Entry
	Want  string
}

// Error names the queue, the entry and the rule.
func (e *EntryError) Error() string {
	return fmt.Sprintf("queue %s-%d: entry %d (physical offset %d, size %d, num %d): want %s", e.Topic, e.Queue,
		e.Entry.QueueOffset, e.Entry.PhysicalOffset, e.Entry.Size, e.Entry.Num, e.Want)
}

// KindError: the queue exists with the other kind of units.
type KindError struct {
	Topic     string
	Queue     int32
	Have, Got Kind
}

// Error names the queue and both kinds.
func (e *KindError) Error() string {
	return fmt.Sprintf("queue %s-%d is a %s, not a %s", e.Topic, e.Queue, e.Have, e.Got)
}

func damaged(path string, offset int64, want, got string) *record.CorruptionError {
	return &record.CorruptionError{Path: path, Offset: offset, Want: want, Got: got, Next: -1}
}
