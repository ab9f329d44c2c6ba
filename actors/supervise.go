package actors

import (
	"fmt"
	"strings"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/dispatch"
)

const (
	backOffFirst = 5 * time.Millisecond
	backOffMax   = time.Second
	backOffReset = 10 * time.Second // of progress forget earlier failures
	parkAfter    = 5                // failures on the same record
)

// budgets count failures, one budget for each actor.
type budgets struct {
	children map[string]*budget
	pair     []time.Time // failures of append and flusher in the window
}

type budget struct {
	failures int
	last     time.Time
	at       int64 // what a sink had applied when it failed last
	same     int   // failures at that place
}

func (b *budgets) of(name string) *budget {
	if b.children == nil {
		b.children = make(map[string]*budget)
	}
	c := b.children[name]
	if c == nil {
		c = &budget{at: -1}
		b.children[name] = c
	}
	return c
}

// fail counts a failure and gives the pause before the restart.
func (c *budget) fail(now time.Time) time.Duration {
	if now.Sub(c.last) >= backOffReset {
		c.failures = 0
	}
	c.failures++
	c.last = now
	return min(backOffFirst<<min(c.failures-1, 20), backOffMax)
}

// stuck counts failures at one place and tells when they are too many.
func (c *budget) stuck(at int64) bool {
	if at != c.at {
		c.at, c.same = at, 0
	}
	c.same++
	return c.same >= parkAfter
}

// pairFailed counts a failure of append or flusher and tells whether it is
// beyond what the window allows.
func (b *budgets) pairFailed(now time.Time, allowed int, window time.Duration) (beyond bool) {
	kept := b.pair[:0]
	for _, t := range b.pair {
		if now.Sub(t) < window {
			kept = append(kept, t)
		}
	}
	b.pair = append(kept, now)
	return len(b.pair) > allowed
}

// HandleFailure is the supervision of the store: it makes the store actor its
// own strategy.
func (a *storeActor) HandleFailure(_ *actor.ActorSystem, supervisor actor.Supervisor, child *actor.PID,
	_ *actor.RestartStatistics, reason any, _ any) {
	name := child.Id[strings.LastIndexByte(child.Id, '/')+1:]
	if a.t == nil {
		supervisor.StopChildren(child)
		return
	}
	switch {
	case name == appendName || name == flusherName:
		a.pairFailed(supervisor, name, reason)
	case a.sinkStuck(name):
		a.report(name, reason, parkAfter, true)
		a.park(supervisor, name, child)
	default:
		b := a.budgets.of(name)
		pause := b.fail(time.Now())
		a.report(name, reason, b.failures, false)
		time.AfterFunc(pause, func() { supervisor.RestartChildren(child) })
	}
}

func (a *storeActor) report(name string, reason any, failures int, parked bool) {
	event := ActorEvent{Actor: name, Reason: reason, Failures: failures}
	tell := a.s.o.Events.ActorRestarted
	if parked {
		tell = a.s.o.Events.SinkParked
	}
	if tell != nil {
		tell(event)
	}
	a.s.o.Logger.Error().Str("actor", name).Any("reason", fmt.Sprint(reason)).
		Int("failures", failures).Bool("parked", parked).Msg("actor failed")
}

// pairFailed takes append and flusher down together: their memory is one truth,
// and after a panic in either none of it is believed.
func (a *storeActor) pairFailed(supervisor actor.Supervisor, name string, reason any) {
	if a.pair > 0 {
		return // both are on their way out already
	}
	beyond := a.budgets.pairFailed(time.Now(), a.s.o.RestartBudget, a.s.o.RestartWindow)
	a.report(name, reason, len(a.budgets.pair), false)
	if beyond {
		a.t.failed(fmt.Errorf("%s failed %d times in %v: %v", name, len(a.budgets.pair), a.s.o.RestartWindow, reason))
	}
	a.pair = 2
	supervisor.StopChildren(a.t.append.Load(), a.t.flusher.Load())
}

// terminated brings append and flusher back when both have gone.
func (a *storeActor) terminated(ctx actor.Context, who *actor.PID) {
	if a.t == nil || a.pair == 0 {
		return
	}
	if !who.Equal(a.t.append.Load()) && !who.Equal(a.t.flusher.Load()) {
		return
	}
	if a.pair--; a.pair > 0 {
		return
	}
	if err := a.t.recoverTail(); err != nil {
		a.t.failed(err)
	}
	a.spawnPair(ctx)
}

// recoverTail makes the end of the log sure again after append and flusher have
// died: bytes behind appended are cut, and queue offsets are counted anew.
func (t *tree) recoverTail() error {
	r := t.rooms
	if r.log.Failed() != nil {
		return nil
	}
	if _, err := r.log.Cut(r.log.Appended(), r.keepAside); err != nil {
		return err
	}
	from := r.log.Dispatched()
	for i := range t.sinks {
		from = min(from, t.sinks[i].Applied()) // a parked one is behind
	}
	offsets, err := dispatch.NextOffsets(r.log.Reader(), r.queues, r.rules(&t.o), from)
	if err != nil {
		return err
	}
	r.offsets = offsets
	return nil
}

// sinkStuck counts a failure of a sink at its place.
func (a *storeActor) sinkStuck(name string) bool {
	for i := range a.t.sinks {
		if s := &a.t.sinks[i]; s.name == name {
			return a.budgets.of(name).stuck(s.Applied())
		}
	}
	return false
}

// park takes a sink out of the flow: dispatch no longer waits for it.
func (a *storeActor) park(supervisor actor.Supervisor, name string, child *actor.PID) {
	a.t.system.Root.Send(a.t.dispatchWake.target.Load(), &parkSink{name})
	supervisor.StopChildren(child)
}

// parkSink tells dispatch to go on without a sink.
type parkSink struct{ name string }
