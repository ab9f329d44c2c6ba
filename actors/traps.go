package actors

import (
	"errors"

	"github.com/asynkron/protoactor-go/actor"
)

// What protoactor does that would reach the user is caught here, in the mailbox,
// which is ours.

// errGoexit is the failure of an actor whose goroutine was ended in the middle of
// a message, as t.FailNow does in a callback. protoactor's mailbox would stand
// still for good.
var errGoexit = errors.New("the goroutine was ended (runtime.Goexit)")

// fail tells the supervisor that a message has ended in a panic.
func (m *batchMailbox[T]) fail(reason any) {
	m.failed = true
	if m.onFailure != nil { // a panic there would be nobody's
		alone(func() { m.onFailure(reason) })
	}
	err := apart(func() error { m.invoker.EscalateFailure(reason, m.current); return nil })
	if err != nil { // the system's logger, say: who cannot tell of it ends, and is missed
		m.PostSystemMessage(&actor.Stop{})
	}
}

// lifecycle tells whether a message is one of those by which protoactor tells an
// actor that it begins or ends. They never come by the queue: what is in it was sent by
// somebody else, and protoactor would let the actor believe it.
func lifecycle(message any) bool {
	if e, ok := message.(*actor.MessageEnvelope); ok {
		message = e.Message
	}
	switch message.(type) {
	case *actor.Started, *actor.Stopping, *actor.Stopped, *actor.Restarting, *actor.Terminated:
		return true
	}
	return false
}

// amiss tells what is not to be done of a system message, and does what is right.
func (m *batchMailbox[T]) amiss(message any) bool {
	switch s := message.(type) {
	case *actor.ResumeMailbox:
		// An actor that failed is not resumed, whatever its parent's strategy says:
		// the message that it had in hand is lost, and somebody may wait for what it
		// was to do. Behind a restart this is how it goes on.
		if m.failed && m.noResume {
			m.systemMessage(&actor.Restart{})
			return true
		}
	case *actor.Restart:
		if m.stopped { // it would bring back an actor that has gone
			return true
		}
		m.failed = false
	case *actor.Watch:
		// A parent is told of the end anyway. Told twice it takes the second time for
		// the end of the next child of that name, and no longer stops that one.
		return m.parent != nil && m.parent.Equal(s.Watcher)
	}
	return false
}
