package actors

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// ErrNotReady is what errors.Is finds while a store is still recovering.
var ErrNotReady = errors.New("store is not open yet")

// Store is the way to a running store from outside its actors. All methods may
// be called from any goroutine.
type Store struct {
	o      Options
	system *actor.ActorSystem
	pid    pidBox // set by the store actor
	own    bool   // the system is ours

	tree   atomic.Pointer[tree]
	last   atomic.Pointer[tree] // the one whose rooms are open, for an actor that comes back
	opened chan struct{}        // closed when open has ended
	fell   chan struct{}        // closed when the store actor has failed for the first time
	once   sync.Once
	err    error // of open; set before opened is closed

	opening chan struct{}         // the store actor's: closed when the one that recovers has ended
	found   atomic.Pointer[rooms] // opened, not yet taken over by the actor
	why     atomic.Pointer[error] // the store actor has failed, and is not back
	failing budget                // of the store actor
	pause   time.Duration         // before it opens again

	mu       sync.Mutex
	closeCtx context.Context // of Close, for the last steps
	ended    atomic.Bool     // the store actor is at its end
	stopped  chan struct{}   // closed when it has gone
	stopErr  error
	deleting deletions
	calls    callbacks
	replies  replies
	untold   *admission              // of PutAsync: bytes of puts whose callbacks have not returned
	slow     atomic.Int64            // messages that wait for a flush or a deletion
	mailbox  *batchMailbox[oneByOne] // of the store actor
}

// Props describes a store actor, for a system or a parent that spawns it
// itself, and gives the handle that the actor will serve. Spawn does both. They are
// of one actor, which may be restarted: a parent that makes its children anew calls
// Props again. A second actor of them ends at once.
func Props(o Options) (*actor.Props, *Store) {
	s := &Store{o: o, opened: make(chan struct{}), stopped: make(chan struct{}), mailbox: newBatchMailbox[oneByOne]()}
	s.calls.onPanic = func(err error) { say(s.o.Logger.Error().Err(err), "callback") }
	s.o.Events = o.Events.shielded(s.calls.onPanic)
	s.fell = make(chan struct{})
	fell := sync.OnceFunc(func() { close(s.fell) })
	s.mailbox.onFailure, s.mailbox.noResume = func(reason any) { s.failed(reason); fell() }, true
	s.mailbox.bound = &bound{limit: o.MaxBytesInFlight, refuse: s.busy, begun: func() bool { return s.pid.Load() != nil }}
	s.replies.limit = o.MaxBytesInFlight
	s.untold = newAdmission(o.MaxBytesInFlight)
	props := propsOf(s.mailbox, func() actor.Actor { return &storeActor{s: s} }).Configure(actor.WithMailbox(s.mailboxOfNext))
	return stepped(o.Faults, storeName, props), s
}

// mailboxOfNext is the store's mailbox for the first actor, and for any other one
// that takes nothing.
func (s *Store) mailboxOfNext() actor.Mailbox {
	if !s.mailbox.inUse() {
		return s.mailbox
	}
	other := newBatchMailbox[oneByOne]()
	other.Close(func(m any) { s.replies.refuse(s.system, m, ErrClosed) })
	return other
}

// PID is the store actor, to which the messages of this package may be sent.
func (s *Store) PID() *actor.PID { return s.pid.Load() }

// System is the actor system that the store runs in, for sending it messages.
func (s *Store) System() *actor.ActorSystem { return s.system }

// Options are what the store was opened with.
func (s *Store) Options() Options { return s.o }

// ready ends opening, once, and gives how it has ended.
func (s *Store) ready(err error) error {
	s.once.Do(func() {
		s.err = err
		close(s.opened)
	})
	return s.err
}

// Put appends a message and waits for its answer; see package flusher for what
// PUT_OK means. The error is nil just when the status is PUT_OK. If ctx ends
// first the message was not stored, or errors.Is(err, ErrOutcomeUnknown).
func (s *Store) Put(ctx context.Context, m *record.Message) (flusher.PutResult, error) {
	_, limited := ctx.Deadline()
	p, err := s.begin(m, limited)
	if err != nil {
		return p.refused, err
	}
	return p.Wait(ctx)
}

// PutBatch appends messages of one queue as one: all of them in one segment,
// with consecutive offsets, answered together.
func (s *Store) PutBatch(ctx context.Context, batch []record.Message) (flusher.PutResult, error) {
	_, limited := ctx.Deadline()
	p, err := s.beginBatch(batch, limited)
	if err != nil {
		return p.refused, err
	}
	return p.Wait(ctx)
}

// shutdown ends the system that Open made; once, since protoactor panics.
func (s *Store) shutdown() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.own {
		s.own = false
		s.system.Shutdown()
	}
}
