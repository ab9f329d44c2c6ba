package consumequeue

import (
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
)

// States of a queue.
const (
	stateKnown   uint32 = iota // listed, not looked into
	stateReady                 // ends are known
	stateDamaged               // valid only in front of the damage
	stateGone                  // destroyed
)

// Queue is one (topic, queueId). Reading is safe from any goroutine beside one
// writer; the calls that change files exclude each other.
type Queue struct {
	store *Store
	topic string
	id    int32
	kind  Kind
	state atomic.Uint32

	// gen changes when units below the end are changed or cut; it is odd while
	// one is being rewritten. A reader that saw it change reads again.
	gen atomic.Uint64
	// Live units are [first, end), counted from the queue's byte 0.
	first, end           atomic.Int64
	minOffset, maxOffset atomic.Int64
	maxPhysical          atomic.Int64
	ordered              atomic.Int64 // store times of units [ordered, end) are known to ascend
	files                atomic.Pointer[fileSet]
	ext                  atomic.Pointer[extFiles] // nil until asked for

	mu       sync.Mutex // changes of files and ends
	data     int64      // first unit that is no pre-blank
	lastTime int64      // store time of the last appended unit
	dirsMade bool       // the directory entries are due for a sync or on disk
	damage   *record.CorruptionError
	anew     bool // a cut in front of the first file is not finished
}

func (s *Store) newQueue(topic string, id int32, kind Kind) *Queue {
	q := &Queue{store: s, topic: topic, id: id, kind: kind}
	q.maxPhysical.Store(-1)
	return q
}

func (q *Queue) ofKind(kind Kind) (*Queue, error) {
	if q.kind != kind {
		return nil, &KindError{Topic: q.topic, Queue: q.id, Have: q.kind, Got: kind}
	}
	return q, nil
}

// Topic is the queue's topic.
func (q *Queue) Topic() string { return q.topic }

// ID is the queue's number in its topic.
func (q *Queue) ID() int32 { return q.id }

// Kind tells simple from batch.
func (q *Queue) Kind() Kind { return q.kind }

// MinOffset is the first queue offset that can be read; equal to MaxOffset if
// there is none. 0 before Load.
func (q *Queue) MinOffset() int64 { return q.minOffset.Load() }

// MaxOffset is the queue offset of the next unit. It moves after the unit's
// bytes are in the file. 0 before Load; behind a Load that found damage the
// end of the valid part.
func (q *Queue) MaxOffset() int64 { return q.maxOffset.Load() }

// MaxPhysical is the physical end of the last unit's record, for both kinds;
// -1 if there is no unit. Pre-blanks do not count.
func (q *Queue) MaxPhysical() int64 { return q.maxPhysical.Load() }

// Loaded tells whether Load has been done, with or without finding damage.
func (q *Queue) Loaded() bool {
	state := q.state.Load()
	return state == stateReady || state == stateDamaged
}

// Summary is the queue as it stands in the queue summary.
func (q *Queue) Summary() checkpoint.QueueEnd {
	return checkpoint.QueueEnd{Topic: q.topic, QueueID: q.id, Kind: uint8(q.kind),
		MinOffset: q.MinOffset(), MaxOffset: q.MaxOffset()}
}

func (q *Queue) root() string {
	if q.kind == Batch {
		return q.store.o.BatchDir
	}
	return q.store.o.Dir
}

func (q *Queue) dir() string {
	return filepath.Join(q.root(), q.topic, strconv.Itoa(int(q.id)))
}

func (q *Queue) extDir() string {
	return filepath.Join(q.store.o.ExtDir, q.topic, strconv.Itoa(int(q.id)))
}

func (q *Queue) fileSize() int64 {
	if q.kind == Batch {
		return q.store.o.BatchFileSize
	}
	return q.store.o.FileSize
}

func (q *Queue) unitsPerFile() int64 { return q.fileSize() / q.kind.unitSize() }

// readable makes the ends known; damage is no obstacle to reading in front of it.
func (q *Queue) readable() error {
	if q.Loaded() {
		return nil
	}
	err := q.Load()
	if q.Loaded() {
		return nil
	}
	return err
}

// writable takes the queue's lock if the queue can be changed; the caller unlocks.
func (q *Queue) writable() error {
	if q.store.o.ReadOnly {
		return ErrReadOnly
	}
	if q.store.closed.Load() {
		return ErrClosed
	}
	q.mu.Lock()
	if q.state.Load() == stateGone {
		q.mu.Unlock()
		return ErrDeleted
	}
	return nil
}

// setStart publishes the first live unit.
func (q *Queue) setStart(first, minOffset int64) {
	q.minOffset.Store(minOffset)
	q.first.Store(first)
}

// setEnd publishes the end; the bytes in front of it are in the file.
func (q *Queue) setEnd(end, maxOffset, maxPhysical int64) {
	q.maxPhysical.Store(maxPhysical)
	q.end.Store(end)
	q.maxOffset.Store(maxOffset)
}

// awaitWriter returns when the change that is under way is done.
func (q *Queue) awaitWriter() {
	q.mu.Lock()
	defer q.mu.Unlock()
}
