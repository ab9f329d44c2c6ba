package actors

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/flusher"
)

// storeActor is the supervisor of a store: it opens it, keeps its actors
// running, passes messages on and ends it.
type storeActor struct {
	s       *Store
	t       *tree
	budgets budgets
	cancel  context.CancelFunc // of an open that is under way
	pair    int                // of append and flusher: how many are still stopping

	children map[string]*child // those that run, by the id of their PID
	ghosts   map[string]bool   // names of actors that were replaced and have not ended yet

	begun    bool // it is the one that serves the handle
	stopping bool // or restarting: no child comes back
}

// openedRooms tells the actor how its open has ended.
type openedRooms struct {
	by    *storeActor
	rooms *rooms
	err   error
}

// Receive is the actor.
func (a *storeActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *actor.Started:
		a.open(ctx)
	case *openedRooms:
		a.start(ctx, m)
	case *restartChild:
		a.pauseOver(ctx, m)
	case *hungChild:
		a.hung(ctx, m)
	case *reach:
		a.reach(m)
	case *actor.Terminated:
		a.terminated(ctx, m.Who)
	case *actor.Stopping:
		a.leave(ErrClosed)
	case *actor.Restarting:
		a.leave(ErrRestarting)
	case *actor.Stopped:
		a.stop()
	default:
		a.serve(ctx, m)
	}
}

// leave takes in nothing more: whoever is stopped by now does not come back.
func (a *storeActor) leave(cause error) {
	a.stopping = true
	a.budgets.stop()
	if a.cancel != nil {
		a.cancel()
	}
	if a.t != nil {
		a.t.admission.close(cause)
	}
}

// open recovers the store beside the actor, which can be stopped meanwhile. A
// store that was open before this actor was restarted is ended first.
func (a *storeActor) open(ctx actor.Context) {
	s, self := a.s, ctx.Self()
	if pid := s.pid.Load(); s.ended.Load() || pid != nil && !pid.Equal(self) {
		say(s.o.Logger.Error().Str("actor", self.Id), "Props of a store describe one actor, and this is another")
		ctx.Stop(self)
		return
	}
	a.begun = true
	s.mailbox.parent = ctx.Parent()
	if s.system == nil {
		s.system = ctx.ActorSystem()
	}
	s.mu.Lock()
	closed := s.closeCtx != nil && s.pid.Load() == nil // before it began
	s.pid.Store(self)
	s.mu.Unlock()
	if closed {
		ctx.Stop(self)
		return
	}
	s.tree.Store(nil)
	before, earlier, pause := s.last.Swap(nil), s.opening, s.pause
	open, cancel := context.WithCancel(context.Background())
	a.cancel, s.opening = cancel, make(chan struct{})
	done := s.opening
	go func() {
		defer close(done)
		m := &openedRooms{a, nil, errGoexit} // if it does not come to its end
		defer func() { s.mailbox.PostUserMessage(m) }()
		s.clear(open, before, earlier)
		wait(open, pause)
		r, err := (*rooms)(nil), s.o.Validate() // nobody has, of a store that its parent spawns
		if err == nil {
			r, err = openRooms(open, &s.o)
		}
		if err == nil && open.Err() != nil {
			err = errors.Join(open.Err(), r.release())
		}
		if err == nil {
			s.found.Store(r)
		}
		m.rooms, m.err = r, err
	}()
}

// wait pauses, or until ctx ends.
func wait(ctx context.Context, pause time.Duration) {
	if pause == 0 {
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(pause):
	}
}

// clear takes away what this actor had before it was restarted: an opening that is
// still under way, one that it has not come to, a tree.
func (s *Store) clear(ctx context.Context, before *tree, earlier <-chan struct{}) {
	if earlier != nil {
		<-earlier
	}
	if r := s.found.Swap(nil); r != nil {
		_ = r.release()
	}
	if before != nil {
		before.admission.close(ErrClosed)
		before.watch.stop()
		_ = before.finish(ctx) // an error leaves the abort marker, and recovery follows
		before.end()
	}
}

// start spawns the actors of an opened store, or gives up.
func (a *storeActor) start(ctx actor.Context, m *openedRooms) {
	if m.by != a {
		return // it was restarted since, and opens again
	}
	if m.err != nil {
		if a.s.served() { // its parent decides whether that is tried again
			panic(fmt.Errorf("it does not open again: %w", m.err))
		}
		_ = a.s.ready(m.err)
		ctx.Stop(ctx.Self())
		return
	}
	a.t = newTree(a.s, ctx.ActorSystem(), m.rooms)
	a.s.last.Store(a.t)
	a.s.found.Store(nil) // a panic until here leaves it to whoever comes next
	a.spawnAll(ctx)
	a.t.watch.start(a.s.o.HangTimeout)
	a.s.tree.Store(a.t)
	a.s.why.Store(nil)
	a.t.tellReadOnly()
	_ = a.s.ready(nil)
}

// stop ends the store after all its actors have gone. It must not panic: a
// panic here would leave whoever stopped the store waiting for ever.
func (a *storeActor) stop() {
	s := a.s
	if !a.begun {
		return
	}
	defer close(s.stopped)
	defer func() { s.mailbox.Close(func(m any) { s.replies.refuse(s.system, m, ErrClosed) }) }()
	s.ended.Store(true)
	served := s.ready(s.closed()) == nil
	s.stopErr = guarded(func() error {
		if s.opening != nil {
			<-s.opening
		}
		if r := s.found.Swap(nil); r != nil {
			return r.release()
		}
		if a.t == nil {
			return nil
		}
		defer a.t.end()
		s.tree.Store(nil)
		a.t.admission.close(ErrClosed)
		a.t.watch.stop()
		return a.t.finish(s.closing())
	})
	if tell := s.o.Events.Closed; tell != nil && served {
		tell(errors.Join(s.stopErr, s.reason()))
	}
}

// newTree makes what the actors share.
func newTree(s *Store, system *actor.ActorSystem, r *rooms) *tree {
	windows := max(windowCount, 2*(s.o.QueueShards+1)) // each sink that hangs keeps one
	t := &tree{
		o: s.o, system: system, store: s.mailbox, rooms: r,
		admission: newAdmission(s.o.MaxBytesInFlight), limits: limitsOf(&s.o),
		appendWake: newWake(s.o.Faults), dispatchWake: newWake(s.o.Faults), allocatorWake: newWake(s.o.Faults),
		windows: make(chan *dispatch.Window, windows), began: time.Now(), over: make(chan struct{}),
	}
	t.retention = newRetention(&s.o, r.log.Appended())
	for range windows {
		t.windows <- &dispatch.Window{}
	}
	applied := r.report.End
	for i := range s.o.QueueShards {
		q := dispatch.NewQueueSink(i, t.grown)
		q.Reset(applied)
		t.sinks = append(t.sinks, &sinkRef{sink: q, name: fmt.Sprintf("queues-%d", i)})
	}
	if r.index != nil && r.report.ReadOnly == nil { // or it stays as it is
		x := dispatch.NewIndexSink(r.index)
		x.Reset(applied)
		if from := r.report.IndexFrom; from >= 0 && from < applied {
			x.Reset(from)
		}
		t.sinks = append(t.sinks, &sinkRef{sink: x, name: indexName, away: x.Applied() < applied})
	}
	t.deleting = &s.deleting
	t.calls, t.replies = &s.calls, &s.replies
	t.watch = newWatcher(t, s.mailbox)
	t.read.Store(applied)
	r.indexAway.Store(t.indexAway())
	if err := r.log.Failed(); err != nil {
		t.refusal.Store(&refusal{flusher.ServiceNotAvailable, err})
	}
	return t
}
