package actors

import (
	"errors"
	"fmt"

	"github.com/asynkron/protoactor-go/actor"
)

const (
	appendName    = "append"
	flusherName   = "flusher"
	dispatchName  = "dispatch"
	allocatorName = "allocator"
	checkName     = "checkpoint"
	retentionName = "retention"
	readerPrefix  = "reader-"
)

// errStoppedOutside is why an actor is brought back that somebody else has stopped.
var errStoppedOutside = errors.New("stopped from outside")

// child is an actor of the store while it runs.
type child struct {
	name    string
	pid     *actor.PID
	mailbox queue
	again   func(actor.Context) // spawns its like, nil for append and flusher
	ending  bool                // the store has stopped it: it is not missed
	life    int                 // which replacement of a hung one it is
}

// stop ends a child, restart begins it anew. Both reach it behind the message
// that it has in hand; no restart reaches it behind a stop (A6).
func (c *child) stop()    { c.mailbox.PostSystemMessage(&actor.Stop{}) }
func (c *child) restart() { c.mailbox.PostSystemMessage(&actor.Restart{}) }

// end stops a child that is not to come back.
func (c *child) end() {
	c.ending = true
	c.stop()
}

// queue is what the store and the watch need of a child's mailbox.
type queue interface {
	PostSystemMessage(message any)
	PostUserMessage(message any)
	load() (turns int64, busy bool)
	ending() bool
	drain(match func(message any) bool) []any
	Close(refuse func(message any))
}

// spawnAll starts the actors of a store. Dispatch comes first: sinks talk to it
// from their first moment.
func (a *storeActor) spawnAll(ctx actor.Context) {
	a.children, a.ghosts = make(map[string]*child), make(map[string]bool)
	a.spawnDispatch(ctx, 0)
	for _, s := range a.t.sinks {
		a.spawnSink(ctx, s)
	}
	a.t.spawned.Store(true)
	a.t.dispatchWake.ring()
	a.spawnPlain(ctx, allocatorName, a.t.allocatorWake.aim, func() actor.Actor { return &allocatorActor{t: a.t} })
	a.spawnPair(ctx)
	a.spawnPlain(ctx, checkName, nil, func() actor.Actor { return &checkpointActor{t: a.t} })
	a.spawnPlain(ctx, retentionName, nil, func() actor.Actor { return &retentionActor{t: a.t} })
	a.t.readers = make([]*readerRef, a.s.o.Readers)
	for i := range a.t.readers {
		a.spawnReader(ctx, i, 0)
	}
}

// spawn starts a child and notes it. at tells others where it is.
func (a *storeActor) spawn(ctx actor.Context, c *child, at func(*place), props *actor.Props) *actor.PID {
	name := c.name
	if c.life > 0 { // its predecessor has the name for as long as it hangs
		name = fmt.Sprintf("%s.%d", c.name, c.life)
	}
	pid, err := ctx.SpawnNamed(stepped(a.s.o.Faults, c.name, props), name) // below the store's own
	if err != nil {
		panic(fmt.Errorf("spawn %s: %w", name, err))
	}
	c.pid = pid
	a.children[pid.Id] = c
	if at != nil {
		at(&place{c.name, c.mailbox})
	}
	a.t.watch.set(c)
	return pid
}

// spawnPlain starts a child that needs nothing but its turn.
func (a *storeActor) spawnPlain(ctx actor.Context, name string, at func(*place), producer actor.Producer) {
	mailbox := newBatchMailbox[oneByOne]()
	c := &child{name: name, mailbox: mailbox}
	c.again = func(ctx actor.Context) { a.spawnPlain(ctx, name, at, producer) }
	a.spawn(ctx, c, at, propsOf(mailbox, producer))
}

// spawnDispatch starts dispatch. One that is not the first knows nothing of what
// its predecessor was told: all sinks catch up by themselves and report back.
func (a *storeActor) spawnDispatch(ctx actor.Context, life int) {
	t := a.t
	t.dispatching.Lock() // nobody is left who has it for long
	turn := t.dispatching.next()
	t.dispatching.Unlock()
	mailbox := newBatchMailbox[oneByOne]()
	c := &child{name: dispatchName, mailbox: mailbox, life: life}
	c.again = func(ctx actor.Context) {
		for _, s := range t.sinks {
			s.leave()
		}
		t.rooms.indexAway.Store(t.indexAway())
		a.spawnDispatch(ctx, a.lives(dispatchName))
		for _, s := range t.sinks {
			t.giveUpOn(s) // its predecessor may not have come to that
		}
	}
	a.spawn(ctx, c, t.dispatchWake.aim, propsOf(mailbox, func() actor.Actor {
		return &dispatchActor{t: t, mailbox: mailbox, turn: turn}
	}))
}

// spawnSink starts a shard of the queues, or the index.
func (a *storeActor) spawnSink(ctx actor.Context, s *sinkRef) {
	mailbox := newBatchMailbox[oneByOne]()
	c := &child{name: s.name, mailbox: mailbox}
	c.again = func(ctx actor.Context) { a.spawnSink(ctx, s) }
	a.spawn(ctx, c, s.at.Store, propsOf(mailbox, func() actor.Actor {
		return &sinkActor{t: a.t, sink: s.sink, name: s.name, mailbox: mailbox}
	}))
}

func (a *storeActor) spawnReader(ctx actor.Context, i, life int) {
	asks := newBatchMailbox[oneByOne]()
	r := &readerRef{mailbox: asks}
	c := &child{name: fmt.Sprint(readerPrefix, i), mailbox: asks, life: life}
	c.again = func(ctx actor.Context) { a.spawnReader(ctx, i, a.lives(c.name)) }
	r.pid = a.spawn(ctx, c, nil, propsOf(asks, func() actor.Actor {
		return &readerActor{t: a.t, name: c.name, mailbox: asks, ref: r}
	}))
	a.t.readers[i] = r
}

// spawnPair starts append and flusher.
func (a *storeActor) spawnPair(ctx actor.Context) {
	a.t.flushing.Store(false) // a flusher that died owes nothing any more
	chains := newBatchMailbox[*chain]()
	a.spawn(ctx, &child{name: flusherName, mailbox: chains}, a.t.flusher.Store, propsOf(chains, func() actor.Actor {
		return &flushActor{t: a.t, mailbox: chains}
	}))
	puts := newBatchMailbox[*putRequest]()
	puts.inline = true
	a.spawn(ctx, &child{name: appendName, mailbox: puts}, a.t.appendWake.aim, propsOf(puts, func() actor.Actor {
		return &appendActor{t: a.t, mailbox: puts}
	}))
}

// terminated brings back whoever has ended without the store's doing: an actor
// that somebody stopped is one that has failed.
func (a *storeActor) terminated(ctx actor.Context, who *actor.PID) {
	c := a.children[who.Id]
	if c == nil {
		return
	}
	delete(a.children, who.Id)
	if a.stopping {
		return
	}
	switch {
	case c.name == appendName || c.name == flusherName:
		a.pairMember(ctx, c)
	case !c.ending:
		a.missed(ctx, c)
	default:
		delete(a.ghosts, c.name) // or it is parked
	}
}

// missed brings a child back after a pause.
func (a *storeActor) missed(ctx actor.Context, c *child) {
	if i := a.t.readerAt(c.pid); i >= 0 {
		a.t.readers[i].pid = nil
	}
	if a.t.sinkNamed(c.name) != nil {
		a.t.toDispatch(&sinkAway{c.name, awayFailed})
	}
	a.later(c, errStoppedOutside, c.again)
}

// lives is the number for another actor of a name, 0 if the name is free.
func (a *storeActor) lives(name string) int {
	free := 0
	for _, c := range a.children {
		if c.name == name {
			free = max(free, c.life+1)
		}
	}
	return free
}
