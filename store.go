package actorstore

import (
	"context"

	"github.com/actorstore/actorstore/actors"
)

// Store is an open store. All methods may be called from any goroutine.
type Store struct {
	view
	run *actors.Store
}

// Open opens the store at options.StorePathRootDir, makes it if there is none,
// and recovers it if its last stop was not clean. It returns when the store
// serves; ctx bounds the opening only.
func Open(ctx context.Context, options Options) (*Store, error) {
	run, err := actors.Open(ctx, options)
	if err != nil {
		return nil, err
	}
	return &Store{view: view{run.Reader}, run: run}, nil
}

// Close stops taking puts, answers those that were accepted, flushes and ends
// the store cleanly. If ctx ends first the error says so, and the next Open
// recovers; nothing that was answered PUT_OK is lost. Close waits for callbacks of
// PutAsync, unless one of them calls it: after a Close without an error none runs.
// If only they have not returned, errors.Is(err, ErrCallbacks).
func (s *Store) Close(ctx context.Context) error { return s.run.Close(ctx) }

// Actors is the same store as a part of an actor system.
func (s *Store) Actors() *actors.Store { return s.run }

// Put appends a message and waits for its answer. The error is nil just when
// the status is PUT_OK. If ctx ends first the message was not stored, or
// errors.Is(err, ErrOutcomeUnknown). The message may be changed afterwards.
func (s *Store) Put(ctx context.Context, m *Message) (PutResult, error) { return s.run.Put(ctx, m) }

// PutBatch appends messages of one queue together: in one piece, with
// consecutive offsets, answered as one.
func (s *Store) PutBatch(ctx context.Context, batch []Message) (PutResult, error) {
	return s.run.PutBatch(ctx, batch)
}

// Begin sends a message on its way and returns; Pending.Wait gives the answer.
// Body and properties must not change before that.
func (s *Store) Begin(m *Message) (Pending, error) { return s.run.Begin(m) }

// BeginBatch is Begin for a batch.
func (s *Store) BeginBatch(batch []Message) (Pending, error) { return s.run.BeginBatch(batch) }

// PutAsync sends a message on its way; done is called with the answer, on a
// goroutine where it may take its time and may call the store. If PutAsync
// returns an error the put was refused and done is not called. Close waits until
// done has returned.
func (s *Store) PutAsync(m *Message, done func(PutResult)) error { return s.run.PutAsync(m, done) }

// Wait returns when the queue holds a message at offset, which may be at once,
// or with the context's error. The queue need not exist yet. One whose shard is
// parked (State.Parked) grows no more until the store is opened again: nobody waits
// for it, and errors.Is(err, ErrParked).
func (s *Store) Wait(ctx context.Context, topic string, queueID int32, offset int64) error {
	n, err := s.run.Notifier()
	if err != nil {
		return err
	}
	return n.Wait(ctx, topic, queueID, offset)
}

// Poll is Get that waits while nothing is there yet: at the end of a queue, or for
// the first message of one. An offset above the end, or below the beginning, is
// not waited for: Poll returns at once, without messages, with the status
// OffsetOverflowBadly or OffsetTooSmall and the offset to go on at in
// result.NextOffset, as RocketMQ's pull does. Wait waits for any offset. Where it
// would wait for a shard that is parked, errors.Is(err, ErrParked).
func (s *Store) Poll(ctx context.Context, req GetRequest, result *GetResult) error {
	n, err := s.run.Notifier()
	if err != nil {
		return err
	}
	r, err := s.reader()
	if err != nil {
		return err
	}
	return r.Poll(ctx, n, req, result)
}

// Flush makes durable what was put before, whatever the flush type.
func (s *Store) Flush(ctx context.Context) error { return s.run.Flush(ctx) }

// Dispatched waits until what was put before can be read by queue and by key. A
// part of that may be parked because it failed again and again on one record:
// errors.Is(err, ErrParked), and all else can be read.
func (s *Store) Dispatched(ctx context.Context) error { return s.run.Dispatched(ctx) }

// DeleteTopic removes a topic. A later put starts it anew at offset 0.
func (s *Store) DeleteTopic(ctx context.Context, topic string) error {
	return s.run.DeleteTopic(ctx, topic)
}

// State is how the store is at this moment.
func (s *Store) State() (State, error) { return s.run.State() }
