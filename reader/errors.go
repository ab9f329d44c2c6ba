package reader

import (
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
)

var (
	// ErrNoRecord: no record starts at that physical offset, or it is not the one
	// that the message id names.
	ErrNoRecord = errors.New("no such record")
	// ErrNoQueue: there is no such queue.
	ErrNoQueue = errors.New("no such queue")
	// ErrNoMessage: the queue holds no message at that offset.
	ErrNoMessage = errors.New("no message at that queue offset")
	// ErrNoIndex: the store has no key index.
	ErrNoIndex = errors.New("key index is not enabled")
	// ErrTags: a tag expression that names no tag.
	ErrTags = errors.New("bad tag expression")
	// ErrDeleted: a waiter's queue was deleted.
	ErrDeleted = errors.New("queue was deleted")
	// ErrClosed: the store is closed.
	ErrClosed = errors.New("store is closed")
)

// noQueue names the queue that is not there.
func noQueue(topic string, queueID int32) error {
	return fmt.Errorf("%w: %s-%d", ErrNoQueue, topic, queueID)
}

// noRecord says that nothing starts at a physical offset, and why.
func noRecord(offset int64, cause error) error {
	return fmt.Errorf("%w at physical offset %d: %w", ErrNoRecord, offset, cause)
}

// located gives an error of package record its place: the segment and the
// physical offset.
func located(err error, path string, offset int64) error {
	var ce *record.CorruptionError
	if !errors.As(err, &ce) {
		return err
	}
	c := *ce
	c.Path, c.Offset, c.Next = path, offset, -1
	return &c
}

// goOn tells in a *record.CorruptionError at which queue offset a reader can go
// on.
func goOn(err error, next int64) error {
	var ce *record.CorruptionError
	if !errors.As(err, &ce) {
		return err
	}
	c := *ce
	c.Next = next
	return &c
}
