package actors

import (
	"strings"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/dispatch"
)

// Faults is the seam through which a test lets the tree fail; package storetest
// has what stands behind it. A store without it pays a comparison with nil per
// put, and nothing per wake that is coalesced.
//
// Actors are named as in the tree: "append", "flusher", "dispatch", "queues-0",
// "index", "allocator", "checkpoint", "retention", "reader-0"; their supervisor is
// "store". All methods are called from many goroutines.
type Faults interface {
	// Step is called by an actor, on the goroutine on which it runs, for each
	// message that it takes: when it comes to it, and, with done, when it has dealt
	// with it. A panic here is a failure of the actor at this place, and a call
	// that does not return is a hang. Each put of a batch is a step of its own,
	// done when it is encoded; the batch has then not been published.
	Step(actor string, message Step, done bool)
	// Signal is called instead of sending a wake or a tick to an actor. send
	// delivers it and may be called later, more than once, or never: lose must be
	// called in that case, so that the next signal is sent at all.
	Signal(actor string, message Step, send, lose func())
}

// Step says what kind of message an actor has come to.
type Step string

// The kinds of steps.
const (
	StepStarted Step = "started" // the actor begins, or begins again
	StepPoke    Step = "poke"    // what Poke has sent
	StepWake    Step = "wake"    // a watermark has moved
	StepTick    Step = "tick"    // its interval is over
	StepPut     Step = "put"     // append: one put, alone or of a batch
	StepPuts    Step = "puts"    // flusher: puts that wait for the disk
	StepFlush   Step = "flush"   // flusher: Store.Flush
	StepWindow  Step = "window"  // queues and index: a window of the log
	StepAsk     Step = "ask"     // reader: a look-up that came as a message
	StepOther   Step = "other"   // what else actors tell each other; only with done, but for the store
)

// poke does nothing but pass the seam.
type poke struct{}

// reach asks the store actor, who knows which actor has a name now, to poke it
// or to stop it.
type reach struct {
	name string
	stop bool
}

// Poke sends an actor a message that does nothing, so that one that is at rest
// comes to a step (StepPoke) as well.
func (s *Store) Poke(name string) error { return s.reach(&reach{name: name}) }

// StopActor stops an actor as somebody would who is no part of the store. It is
// missed, and comes back.
func (s *Store) StopActor(name string) error { return s.reach(&reach{name: name, stop: true}) }

func (s *Store) reach(m *reach) error {
	t, err := s.running()
	switch {
	case err != nil:
		return err
	case m.name != storeName:
		t.store.PostUserMessage(m)
	case m.stop:
		t.system.Root.Stop(s.pid.Load())
	default:
		t.store.PostUserMessage(&poke{})
	}
	return nil
}

// reach does so. Somebody else would stop an actor by its PID, and that may be a
// dead letter by then: beside the store actor.
func (a *storeActor) reach(m *reach) {
	for _, c := range a.children {
		if c.name != m.name || c.ending {
			continue
		}
		if root, pid := a.t.system.Root, c.pid; m.stop {
			go alone(func() { root.Stop(pid) })
		} else {
			c.mailbox.PostUserMessage(&poke{})
		}
	}
}

// step is a place in an actor where a test may let it fail.
func (t *tree) step(name string, message Step, done bool) {
	if f := t.o.Faults; f != nil {
		f.Step(name, message, done)
	}
}

// nameOf is how an actor of the tree is called, whichever replacement it is.
func nameOf(pid *actor.PID) string {
	name, _, _ := strings.Cut(pid.Id[strings.LastIndexByte(pid.Id, '/')+1:], ".")
	return name
}

// stepped puts the seam around an actor that is about to be spawned. A message
// that somebody waits for, or that no failure can lose, comes to its step inside
// of the actor, where that has taken over what is owed. The store may lose
// anything: it is restarted with all its actors.
func stepped(f Faults, name string, props *actor.Props) *actor.Props {
	if f == nil {
		return props
	}
	return props.Configure(actor.WithReceiverMiddleware(func(next actor.ReceiverFunc) actor.ReceiverFunc {
		return func(c actor.ReceiverContext, e *actor.MessageEnvelope) {
			kind, inside := stepOf(e.Message)
			if kind != "" && (!inside || kind == StepOther && name == storeName) {
				f.Step(name, kind, false)
			}
			next(c, e)
			if kind != "" && kind != StepPut {
				f.Step(name, kind, true)
			}
		}
	}))
}

// stepOf is the kind of a message, "" for those of an actor's end, and whether
// its step is not in front of the actor.
func stepOf(message any) (kind Step, inside bool) {
	switch message.(type) {
	case *batch[*putRequest]:
		return StepPut, true
	case *batch[*chain]:
		return StepPuts, true
	case *flushNow:
		return StepFlush, true
	case *dispatch.Window:
		return StepWindow, true
	case *wakeUp:
		return StepWake, false
	case *tick:
		return StepTick, false
	case *poke:
		return StepPoke, false
	case *actor.Started:
		return StepStarted, false
	case actor.SystemMessage, actor.AutoReceiveMessage:
		return "", false
	}
	if unserved(asked(message), nil) != nil {
		return StepAsk, true
	}
	return StepOther, true
}
