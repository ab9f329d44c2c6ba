package consumequeue

import (
	"cmp"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/record"
)

// Store is the set of all queues of a message store (RocketMQ's
// ConsumeQueueStore). Finding queues, reading and syncing are safe from any
// goroutine; each queue has one writer at a time.
type Store struct {
	o       Options
	pool    *pool
	table   *table
	buffers sync.Pool     // *[]byte
	made    atomic.Uint64 // made so far
	tmpMade atomic.Bool
	synced  atomic.Bool  // Sync has been called
	syncs   atomic.Int64 // what Sync has made durable, one after another
	dirty   dirtySet
	closed  atomic.Bool
}

// Open lists <topic>/<queueId> and opens no queue. What is no queue is named
// once to Warn and left alone. A missing directory is an empty store.
func Open(o Options) (*Store, error) {
	if err := o.complete(); err != nil {
		return nil, err
	}
	s := &Store{o: o, pool: newPool(&o), table: newTable()}
	s.buffers.New = func() any { b := make([]byte, 0, 4096); return &b }
	if err := s.list(o.Dir, Simple); err != nil {
		return nil, err
	}
	if o.BatchDir != "" {
		if err := s.list(o.BatchDir, Batch); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (s *Store) list(root string, kind Kind) error {
	topics, err := s.o.FS.ReadDir(root)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	for _, topic := range topics {
		path := filepath.Join(root, topic.Name())
		if !topic.IsDir() {
			s.o.Warn(path, "not a topic directory")
			continue
		}
		if err := record.CheckTopic(topic.Name()); err != nil {
			s.o.Warn(path, err.Error())
			continue
		}
		if err := s.listTopic(path, topic.Name(), kind); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) listTopic(path, topic string, kind Kind) error {
	entries, err := s.o.FS.ReadDir(path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		id, ok := parseQueueID(e.Name())
		if !ok || !e.IsDir() {
			s.o.Warn(filepath.Join(path, e.Name()), "not a queue directory")
			continue
		}
		q := s.newQueue(topic, id, kind)
		if have := s.table.add(q); have != q {
			s.o.Warn(filepath.Join(path, e.Name()), "the queue exists as a "+have.kind.String())
		}
	}
	return nil
}

// parseQueueID accepts what a queue id prints as, and nothing else.
func parseQueueID(name string) (int32, bool) {
	id, err := strconv.ParseInt(name, 10, 32)
	if err != nil || id < 0 || strconv.FormatInt(id, 10) != name {
		return 0, false
	}
	return int32(id), true
}

// Queue returns the queue, nil if there is none. No lock, no allocation.
func (s *Store) Queue(topic string, queueID int32) *Queue { return s.table.find(topic, queueID) }

// Ensure returns the queue and makes it known if it is new; its directory and
// first file come with the first Append. Bad names give *record.LimitError, a
// queue of the other kind *KindError.
func (s *Store) Ensure(topic string, queueID int32, kind Kind) (*Queue, error) {
	if q := s.table.find(topic, queueID); q != nil && q.state.Load() != stateGone {
		return q.ofKind(kind)
	}
	switch {
	case s.closed.Load():
		return nil, ErrClosed
	case s.o.ReadOnly:
		return nil, ErrReadOnly
	case queueID < 0:
		return nil, &record.LimitError{Field: "queueId", Want: ">= 0", Got: strconv.Itoa(int(queueID))}
	case kind == Batch && s.o.BatchDir == "":
		return nil, errors.New("consume queues: no directory for batch queues given")
	}
	if err := record.CheckTopic(topic); err != nil {
		return nil, err
	}
	topic = strings.Clone(topic)
	for {
		q := s.table.add(s.newQueue(topic, queueID, kind))
		// What a deletion that failed left behind must not be overlooked.
		err := q.readable()
		if err == ErrDeleted {
			q.awaitWriter() // until it has left the table
			continue
		}
		if err != nil {
			return nil, err
		}
		return q.ofKind(kind)
	}
}

// All yields the queues sorted by topic, then id.
func (s *Store) All() iter.Seq[*Queue] {
	queues := s.table.all()
	slices.SortFunc(queues, func(a, b *Queue) int {
		return cmp.Or(strings.Compare(a.topic, b.topic), cmp.Compare(a.id, b.id))
	})
	return slices.Values(queues)
}

// Topics lists the topics that have a queue, sorted.
func (s *Store) Topics() []string {
	s.table.mu.Lock()
	defer s.table.mu.Unlock()
	names := make([]string, 0, len(s.table.topics))
	for _, t := range s.table.topics {
		names = append(names, t.name)
	}
	slices.Sort(names)
	return names
}

// DeleteTopic destroys all queues of a topic; a topic that is not there is no
// error. The first failure is returned after the others have been tried.
func (s *Store) DeleteTopic(topic string) error {
	var failed error
	for _, q := range s.table.ofTopic(topic) {
		failed = errors.Join(failed, q.Destroy())
	}
	return failed
}

// Unmapped counts files that could not be mapped and are read with pread.
func (s *Store) Unmapped() int64 { return s.pool.unmapped.Load() }

// Close closes every file. It syncs nothing; call Sync before. Calls that are
// under way end in order, later ones give ErrClosed.
func (s *Store) Close() error {
	if !s.closed.Swap(true) {
		s.pool.close()
	}
	return nil
}
