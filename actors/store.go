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
		a.pauseOver(m)
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
			_ = before.finish(open) // an error leaves the abort marker, and recovery follows
		}
		r, err := openRooms(open, &s.o)
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
	// Dispatch first: sinks talk to it from their first moment.
	a.spawn(ctx, "dispatch", &a.t.dispatchWake.target, func() actor.Actor { return &dispatchActor{t: a.t} })
	a.spawnSinks(ctx)
	a.spawn(ctx, "allocator", &a.t.allocatorWake.target, func() actor.Actor { return &allocatorActor{t: a.t} })
	a.spawnPair(ctx)
	a.spawn(ctx, "checkpoint", nil, func() actor.Actor { return &checkpointActor{t: a.t} })
	a.spawn(ctx, "retention", nil, func() actor.Actor { return &retentionActor{t: a.t} })
	for i := range a.s.o.Readers {
		a.t.readers = append(a.t.readers, a.spawnReader(ctx, fmt.Sprintf("reader-%d", i)))
	}
	a.t.watchDeadLetters()
	a.s.tree.Store(a.t)
	a.s.ready(nil)
}

// stop ends the store after all its actors have gone. It must not panic: a
// panic here would leave whoever stopped the store waiting for ever.
func (a *storeActor) stop() {
	s := a.s
	defer close(s.stopped)
	defer func() { s.mailbox.Close(func(m any) { refuseAsked(s.system, m) }) }()
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
	s.mu.Lock()
	ctx := s.closeCtx
	s.mu.Unlock()
	if ctx == nil {
		ctx = context.Background()
	}
	s.stopErr = a.t.finish(ctx)
}

// spawn starts a child and notes where it is. It watches it, too.
func (a *storeActor) spawn(ctx actor.Context, name string, at *pidBox, producer actor.Producer) *actor.PID {
	return a.spawnProps(ctx, name, at, propsOf(newBatchMailbox[oneByOne](), producer))
}

func (a *storeActor) spawnProps(ctx actor.Context, name string, at *pidBox, props *actor.Props) *actor.PID {
	pid, err := ctx.SpawnNamed(a.stepped(name, props), name) // below the store's own
	if err != nil {
		panic(fmt.Errorf("spawn %s: %w", name, err))
	}
	if at != nil {
		at.Store(pid)
	}
	return pid
}

// spawnSinks starts the shards of the queues and the index.
func (a *storeActor) spawnSinks(ctx actor.Context) {
	for i := range a.t.sinks {
		s := &a.t.sinks[i]
		mailbox := newBatchMailbox[oneByOne]()
		s.pid = a.spawnProps(ctx, s.name, nil, propsOf(mailbox, func() actor.Actor {
			return &sinkActor{t: a.t, sink: s.sink, name: s.name, mailbox: mailbox}
		}))
	}
	a.t.spawned.Store(true)
	a.t.dispatchWake.ring()
}

func (a *storeActor) spawnReader(ctx actor.Context, name string) *actor.PID {
	asks := newBatchMailbox[oneByOne]()
	return a.spawnProps(ctx, name, nil, propsOf(asks, func() actor.Actor { return &readerActor{t: a.t, mailbox: asks} }))
}

// spawnPair starts append and flusher.
func (a *storeActor) spawnPair(ctx actor.Context) {
	a.t.flushing.Store(false) // a flusher that died owes nothing any more
	chains := newBatchMailbox[*chain]()
	a.spawnProps(ctx, flusherName, &a.t.flusher, propsOf(chains, func() actor.Actor {
		return &flushActor{t: a.t, mailbox: chains}
	}))

	puts := newBatchMailbox[*putRequest]()
	puts.inline = true
	a.spawnProps(ctx, appendName, &a.t.appendWake.target, propsOf(puts, func() actor.Actor {
		return &appendActor{t: a.t, mailbox: puts}
	}))
}

const (
	appendName  = "append"
	flusherName = "flusher"
)

// newTree makes what the actors share.
func newTree(s *Store, system *actor.ActorSystem, self *actor.PID, r *rooms) *tree {
	t := &tree{
		o: s.o, system: system, store: self, rooms: r,
		admission: newAdmission(s.o.MaxBytesInFlight), limits: limitsOf(&s.o),
		appendWake: newWake(system, s.o.Faults), dispatchWake: newWake(system, s.o.Faults),
		allocatorWake: newWake(system, s.o.Faults),
		windows:       make(chan *dispatch.Window, windowCount), began: time.Now(),
	}
	for range windowCount {
		t.windows <- &dispatch.Window{Owner: t}
	}
	applied := r.log.Dispatched()
	for i := range s.o.QueueShards {
		q := dispatch.NewQueueSink(i, t.grown)
		q.Reset(applied)
		t.sinks = append(t.sinks, sinkRef{sink: q, name: fmt.Sprintf("queues-%d", i)})
	}
	if r.index != nil {
		x := dispatch.NewIndexSink(r.index)
		x.Reset(applied)
		if from := r.report.IndexFrom; from >= 0 && from < applied {
			x.Reset(from)
		}
		t.sinks = append(t.sinks, sinkRef{sink: x, name: indexName, away: x.Applied() < applied})
	}
	t.deleting = &s.deleting
	r.indexAway.Store(t.indexAway())
	if err := r.log.Failed(); err != nil {
		t.refusal.Store(&refusal{flusher.ServiceNotAvailable, err})
	}
	return t
}
