package actors

import (
	"context"
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

	stopping bool // or restarting: no child comes back
}

// openedRooms tells the actor how its open has ended.
type openedRooms struct {
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
	case *actor.Stopping, *actor.Restarting:
		a.stopping = true
		a.budgets.stop()
		if a.cancel != nil {
			a.cancel()
		}
		if a.t != nil {
			a.t.admission.close()
		}
	case *actor.Stopped:
		a.stop()
	default:
		a.serve(ctx, m)
	}
}

// open recovers the store beside the actor, which can be stopped meanwhile. A
// store that was open before, in an earlier life of this actor, is ended first.
func (a *storeActor) open(ctx actor.Context) {
	s, self := a.s, ctx.Self()
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
	before := s.last.Swap(nil)
	open, cancel := context.WithCancel(context.Background())
	a.cancel = cancel
	s.opening.Add(1)
	go func() {
		defer s.opening.Done()
		if before != nil {
			before.unwatchDeadLetters()
			before.watch.stop()
			_ = before.finish(open) // an error leaves the abort marker, and recovery follows
		}
		r, err := (*rooms)(nil), s.o.Validate() // nobody has, of a store that its parent spawns
		if err == nil {
			r, err = openRooms(open, &s.o)
		}
		if err == nil && open.Err() != nil {
			err = r.release()
			r = nil
		}
		if err == nil && r != nil {
			s.found.Store(r)
		}
		s.system.Root.Send(self, &openedRooms{r, err})
	}()
}

// start spawns the actors of an opened store, or gives up.
func (a *storeActor) start(ctx actor.Context, m *openedRooms) {
	if m.err != nil || m.rooms == nil {
		a.s.ready(m.err)
		ctx.Stop(ctx.Self())
		return
	}
	a.s.found.Store(nil)
	a.t = newTree(a.s, ctx.ActorSystem(), ctx.Self(), m.rooms)
	a.s.last.Store(a.t)
	a.spawnAll(ctx)
	a.t.watchDeadLetters()
	a.t.watch.start(a.s.o.HangTimeout)
	a.s.tree.Store(a.t)
	a.t.tellReadOnly()
	a.s.ready(nil)
}

// stop ends the store after all its actors have gone. It must not panic: a
// panic here would leave whoever stopped the store waiting for ever.
func (a *storeActor) stop() {
	s := a.s
	defer s.end()
	defer close(s.stopped)
	defer func() { s.mailbox.Close(func(m any) { refuseAsked(s.system, m, ErrClosed) }) }()
	defer func() {
		if reason := recover(); reason != nil {
			s.stopErr = fmt.Errorf("close: %v", reason)
		}
	}()
	s.opening.Wait()
	s.ready(ErrClosed)
	if r := s.found.Swap(nil); r != nil {
		s.stopErr = r.release()
	}
	if a.t == nil {
		return
	}
	s.tree.Store(nil)
	a.t.unwatchDeadLetters()
	a.t.watch.stop()
	s.mu.Lock()
	ctx := s.closeCtx
	s.mu.Unlock()
	if ctx == nil {
		ctx = context.Background()
	}
	s.stopErr = a.t.finish(ctx)
}

// newTree makes what the actors share.
func newTree(s *Store, system *actor.ActorSystem, self *actor.PID, r *rooms) *tree {
	windows := max(windowCount, 2*(s.o.QueueShards+1)) // each sink that hangs keeps one
	t := &tree{
		o: s.o, system: system, store: self, rooms: r,
		admission: newAdmission(s.o.MaxBytesInFlight), limits: limitsOf(&s.o),
		appendWake: newWake(system, s.o.Faults), dispatchWake: newWake(system, s.o.Faults),
		allocatorWake: newWake(system, s.o.Faults),
		windows:       make(chan *dispatch.Window, windows), began: time.Now(),
	}
	t.retention = newRetention(&s.o, r.log.Appended())
	for range windows {
		t.windows <- &dispatch.Window{Owner: t}
	}
	applied := r.report.End
	for i := range s.o.QueueShards {
		q := dispatch.NewQueueSink(i, t.grown)
		q.Reset(applied)
		t.sinks = append(t.sinks, &sinkRef{sink: q, name: fmt.Sprintf("queues-%d", i)})
	}
	if r.index != nil {
		x := dispatch.NewIndexSink(r.index)
		x.Reset(applied)
		if from := r.report.IndexFrom; from >= 0 && from < applied {
			x.Reset(from)
		}
		t.sinks = append(t.sinks, &sinkRef{sink: x, name: indexName, away: x.Applied() < applied})
	}
	t.deleting = &s.deleting
	t.calls = &s.calls
	t.watch = newWatcher(t, s.mailbox)
	t.read.Store(applied)
	r.indexAway.Store(t.indexAway())
	if err := r.log.Failed(); err != nil {
		t.refusal.Store(&refusal{flusher.ServiceNotAvailable, err})
	}
	return t
}
