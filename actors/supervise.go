package actors

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/mapped"
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
	mailbox  queue // of the actor that failed last
	turns    int64 // what that had counted then
	still    bool  // it got nothing done between the last two failures
	at       int64 // what a sink had applied when it failed last on a record
	same     int   // failures at that place
	timer    *time.Timer
}

// failureTurns is what a mailbox counts at most from one failure to the next if
// nothing is done in between: the suspension behind the first, restart,
// resumption, the message that fails, the suspension behind that.
const failureTurns = 5

// stop ends all pauses.
func (b *budgets) stop() {
	for _, c := range b.children {
		if c.timer != nil {
			c.timer.Stop()
		}
	}
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

// look takes in what the mailbox of a failed actor shows of its work.
func (c *budget) look(mailbox queue) {
	turns, _ := mailbox.load()
	since := turns
	if mailbox == c.mailbox {
		since -= c.turns
	}
	c.mailbox, c.turns, c.still = mailbox, turns, since <= failureTurns
}

// fail counts a failure and gives the pause before the restart. Time alone
// forgets nothing: an actor that comes to its next failure slowly fails all the
// same.
func (c *budget) fail(now time.Time) time.Duration {
	if now.Sub(c.last) >= backOffReset && !c.still {
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
func (a *storeActor) HandleFailure(_ *actor.ActorSystem, supervisor actor.Supervisor, failed *actor.PID,
	_ *actor.RestartStatistics, reason any, message any) {
	c := a.children[failed.Id]
	if c == nil || c.ending { // nobody that counts any more
		supervisor.StopChildren(failed)
		return
	}
	name := c.name
	isPair := name == appendName || name == flusherName
	switch {
	case a.stopping:
		a.t.doubtful = a.t.doubtful || isPair
		a.report(name, reason, 1, false)
		c.stop()
	case isPair:
		a.pairFailed(name, reason)
	case a.t.sinkNamed(name) != nil:
		a.sinkFailed(c, reason, message)
	default:
		a.restart(c, reason)
	}
}

// restartChild is what the store actor sends itself when a pause is over. Only
// so is no child restarted behind its stop, which would bring it back for good.
type restartChild struct {
	by    *storeActor
	c     *child
	again func(actor.Context)
}

// restart brings a child back after a pause.
func (a *storeActor) restart(c *child, reason any) {
	a.later(c, reason, func(actor.Context) { c.restart() })
}

// later counts a failure of a child and brings it back when the pause is over.
func (a *storeActor) later(c *child, reason any, again func(actor.Context)) {
	b := a.budgets.of(c.name)
	b.look(c.mailbox)
	b.still = b.still && !a.t.atEnd(c.name)
	pause := b.fail(time.Now())
	a.report(c.name, reason, b.failures, false)
	m := &restartChild{a, c, again}
	b.timer = time.AfterFunc(pause, func() { a.t.store.PostUserMessage(m) })
}

func (a *storeActor) pauseOver(ctx actor.Context, m *restartChild) {
	if m.by == a && !a.stopping {
		m.again(ctx)
	}
}

// atEnd tells of an actor of the derived flow that nothing is left for it: it has
// got on as well as it can.
func (t *tree) atEnd(name string) bool {
	end := t.log().Confirm()
	if s := t.sinkNamed(name); s != nil {
		return s.Applied() >= end
	}
	return name == dispatchName && t.read.Load() >= end
}

// sinkFailed takes a sink out of the flow until it has caught up, or for good
// when it fails on the same record again and again. What the disk refuses is
// tried for ever: it is no fault of the record.
func (a *storeActor) sinkFailed(c *child, reason, message any) {
	s := a.t.sinkNamed(c.name)
	stuck := a.onRecord(s, reason, message) && a.budgets.of(c.name).stuck(s.Applied())
	why := awayFailed
	if stuck {
		why = awayParked
		a.t.watch.park(Parked{c.name, s.Applied(), reason}) // before anybody goes on without it
		a.t.rooms.notifier.Stall(a.t.stalls)
	}
	a.t.toDispatch(&sinkAway{c.name, why})
	if stuck {
		a.report(c.name, reason, parkAfter, true)
		c.end()
		return
	}
	a.restart(c, reason)
}

// ofDisk tells whether an actor failed because the disk did.
func ofDisk(reason any) bool {
	err, ok := reason.(error)
	if !ok {
		return false
	}
	var path *fs.PathError
	var number syscall.Errno
	var fault *mapped.FaultError
	return errors.As(err, &path) || errors.As(err, &number) || errors.As(err, &fault)
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
	say(a.s.o.Logger.Error().Str("actor", name).Any("reason", fmt.Sprint(reason)).
		Int("failures", failures).Bool("parked", parked), "actor failed")
}

// pairFailed takes append and flusher down together: their memory is one truth,
// and after a failure of either none of it is believed.
func (a *storeActor) pairFailed(name string, reason any) {
	if a.pair > 0 {
		return // both are on their way out already
	}
	a.pair, a.t.doubtful = 2, true
	for _, c := range a.children { // before anybody is told: who is told may put again
		if c.name == appendName || c.name == flusherName {
			c.stop()
		}
	}
	beyond := a.budgets.pairFailed(time.Now(), a.s.o.RestartBudget, a.s.o.RestartWindow)
	a.report(name, reason, len(a.budgets.pair), false)
	if beyond {
		a.t.failed(fmt.Errorf("%s failed %d times in %v: %v", name, len(a.budgets.pair), a.s.o.RestartWindow, reason))
	}
}

// pairMember brings append and flusher back when both have gone. One that ends
// by itself takes the other with it.
func (a *storeActor) pairMember(ctx actor.Context, c *child) {
	if a.pair == 0 {
		a.pairFailed(c.name, errStoppedOutside)
	}
	if a.pair--; a.pair > 0 {
		return
	}
	if err := guarded(a.t.recoverTail); err != nil {
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
	offsets, err := dispatch.NextOffsets(r.log.Reader(), r.queues, r.rules(&t.o), t.queuesApplied())
	if err != nil {
		return err
	}
	r.offsets = offsets
	return nil
}
