package dispatch

import (
	"errors"
	"slices"
	"sync/atomic"

	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
)

// ErrHole is what errors.Is finds when a window starts behind what a sink has
// applied: the reader must go back to Applied (D1).
var ErrHole = errors.New("window starts behind what is applied")

// Sink is how far one receiver of windows has come.
type Sink struct {
	applied atomic.Int64
}

// Applied is the end of the log that the sink has taken in.
func (s *Sink) Applied() int64 { return s.applied.Load() }

// Reset places the sink, before it is used.
func (s *Sink) Reset(applied int64) { s.applied.Store(applied) }

// admit tells whether a window is to be applied: not if the sink has it already.
func (s *Sink) admit(w *Window) (bool, error) {
	switch at := s.applied.Load(); {
	case w.Start > at:
		return false, ErrHole
	case w.End <= at && w.End > w.Start:
		return false, nil
	}
	return true, nil
}

// QueueSink writes the units of one shard of the queues.
type QueueSink struct {
	Sink
	shard  int
	wake   func(q *consumequeue.Queue) // told when a queue has grown
	damage []Damage                    // ranges that gaps in queue offsets may stand for
}

// NewQueueSink makes the sink of a shard; wake may be nil.
func NewQueueSink(shard int, wake func(q *consumequeue.Queue)) *QueueSink {
	return &QueueSink{shard: shard, wake: wake}
}

// Apply writes the window's units of this shard and moves Applied. On an error
// Applied stays; the window may be applied again.
func (s *QueueSink) Apply(w *Window) error {
	ok, err := s.admit(w)
	if err != nil || !ok {
		return err
	}
	s.remember(w.Damage)
	for i := range w.Batches {
		b := &w.Batches[i]
		if b.Shard != s.shard {
			continue
		}
		if err := s.append(b.Queue, b.Entries); err != nil {
			return err
		}
		if s.wake != nil {
			s.wake(b.Queue)
		}
	}
	s.applied.Store(w.End)
	return nil
}

// append writes entries; where offsets are missing because their records are
// damaged, units that point at the damage take their places.
func (s *QueueSink) append(q *consumequeue.Queue, entries []consumequeue.Entry) error {
	for {
		err := q.Append(entries)
		if err == nil {
			return nil
		}
		var gap *consumequeue.GapError
		if !errors.As(err, &gap) {
			return err
		}
		i := slices.IndexFunc(entries, func(e consumequeue.Entry) bool { return e.QueueOffset == gap.Got })
		hole := s.hole(q, gap.Want, entries[:i+1])
		if len(hole) == 0 {
			return err
		}
		if err := q.Append(entries[:i]); err != nil {
			return err
		}
		if err := q.Append(hole); err != nil {
			return err
		}
		entries = entries[i:]
	}
}

// IndexSink feeds the key index.
type IndexSink struct {
	Sink
	index *indexsvc.Service
}

// NewIndexSink makes the sink of an index.
func NewIndexSink(index *indexsvc.Service) *IndexSink { return &IndexSink{index: index} }

// Apply puts the window's keys and moves Applied. On an error Applied stays.
func (s *IndexSink) Apply(w *Window) error {
	ok, err := s.admit(w)
	if err != nil || !ok {
		return err
	}
	if len(w.Keyed) > 0 {
		if err := s.index.Put(w.Keyed); err != nil {
			return err
		}
	}
	s.applied.Store(w.End)
	return nil
}
