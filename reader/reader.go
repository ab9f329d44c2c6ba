package reader

import (
	"sync"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/consumequeue"
)

// Options are the limits of reading. A zero field has its default.
type Options struct {
	// MaxTransferBytesInMemory and MaxTransferCountInMemory fill a MaxBytes or a
	// MaxCount that was not given, for records that are likely in memory.
	// Defaults 262144 and 32.
	MaxTransferBytesInMemory, MaxTransferCountInMemory int
	// MaxTransferBytesOnDisk and MaxTransferCountOnDisk do so for the others.
	// Defaults 65536 and 8.
	MaxTransferBytesOnDisk, MaxTransferCountOnDisk int
	// InMemory is how many bytes of the end of the log are taken to be in memory;
	// RocketMQ: 40 % of the machine's. Default: all of it.
	InMemory int64
	// MaxMsgsNumBatch bounds a key query. Default 64.
	MaxMsgsNumBatch int
	// SkipCRC trusts the disk: Get, Query and Lookup check no checksum.
	SkipCRC bool
	// IndexReady reports whether the index holds all that is dispatched; nil
	// means that it does. While it does not, query results say Incomplete.
	IndexReady func() bool
	// Damaged is told of a damaged record that a Get or a View has met; it runs
	// on the caller's goroutine. May be nil.
	Damaged func(error)
	// Deleted is the physical offset below which records of a topic are those of
	// one that was deleted: a query does not find them. nil: none was.
	Deleted func(topic string) int64
	// Gone is why the store that is read has ended, nil while it has not. It tells
	// that before the files are let go of. nil: it ends after its readers.
	Gone func() error
}

// KeyIndex is what a query needs of the index (package indexsvc). Candidates
// come newest first and are matched by hash only; visit ends the walk by
// returning false; limit 0 is none.
type KeyIndex interface {
	Query(topic, key string, limit int, visit func(physicalOffset int64) bool) error
	QueryTags(topic, tags string, limit int, visit func(physicalOffset int64) bool) error
}

// Reader reads a store. Any number of goroutines may use it at once.
type Reader struct {
	log    *commitlog.Reader
	queues *consumequeue.Store
	index  KeyIndex
	o      Options
	walks  sync.Pool // *walk
}

// New makes a reader of a log and what is derived from it. index is nil if the
// store has none.
func New(log *commitlog.Reader, queues *consumequeue.Store, index KeyIndex, o Options) *Reader {
	setDefault(&o.MaxTransferBytesInMemory, 262144)
	setDefault(&o.MaxTransferCountInMemory, 32)
	setDefault(&o.MaxTransferBytesOnDisk, 65536)
	setDefault(&o.MaxTransferCountOnDisk, 8)
	setDefault(&o.MaxMsgsNumBatch, 64)
	r := &Reader{log: log, queues: queues, index: index, o: o}
	r.walks.New = func() any { return new(walk) }
	return r
}

func setDefault(v *int, d int) {
	if *v <= 0 {
		*v = d
	}
}

// gone is why an answer is none (G8): of a store that has ended meanwhile nothing
// can be read, and so nothing seems to be there. err is the answer's own error.
func (r *Reader) gone(err error) error {
	if r.o.Gone != nil {
		if cause := r.o.Gone(); cause != nil {
			return cause
		}
	}
	return err
}

// queue finds a queue and makes its ends known. nil without an error: there is
// none. A queue that is damaged somewhere is readable in front of it.
func (r *Reader) queue(topic string, queueID int32) (*consumequeue.Queue, error) {
	q := r.queues.Queue(topic, queueID)
	if q == nil || q.Loaded() {
		return q, nil
	}
	if err := q.Load(); err != nil && !q.Loaded() {
		return nil, err
	}
	return q, nil
}
