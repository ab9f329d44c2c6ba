package actors

import (
	"testing"

	"github.com/asynkron/protoactor-go/actor"
)

// runs lets what is scheduled run on goroutines of its own, one after another: a
// run may end the goroutine that it is on.
func (b *box) runs() {
	for len(b.scheduled) > 0 {
		fn := b.scheduled[0]
		b.scheduled = b.scheduled[1:]
		done := make(chan struct{})
		go func() { defer close(done); fn() }()
		<-done
	}
}

// A goroutine that is ended in the middle of a message, as t.FailNow ends it, took
// the mailbox with it: nobody was told, and no message was handed over any more.
func TestMailboxOutlivesGoexit(t *testing.T) {
	for _, inline := range []bool{false, true} {
		b := newBox()
		b.inline = inline
		b.at = func(m any) {
			if p, ok := m.(*batch[*parcel]); ok && p.items[0].n == 1 {
				runtimeGoexit()
			}
		}
		done := make(chan struct{})
		go func() { defer close(done); b.post(1) }() // who carries it ends with it
		<-done
		b.runs()
		b.post(2)
		b.PostUserMessage("alone")
		b.runs()
		b.want(t, "1,", "failed: "+errGoexit.Error())
		b.PostSystemMessage(&actor.Restart{})
		b.PostSystemMessage(&actor.ResumeMailbox{})
		b.runs()
		b.want(t, "*actor.Restart", "2,", "alone")
		if b.running {
			t.Error("it still runs")
		}
	}
}

// An actor that has failed is restarted where its parent resumes it, once; one that
// has not failed, or is back, is resumed.
func TestMailboxDoesNotResumeAFailure(t *testing.T) {
	b := newBox()
	b.noResume = true
	b.PostSystemMessage(&actor.SuspendMailbox{})
	b.PostSystemMessage(&actor.ResumeMailbox{})
	b.post(1)
	b.step()
	b.want(t, "1,")
	b.at = func(m any) {
		if m == "bad" {
			panic("killed")
		}
	}
	b.PostUserMessage("bad")
	b.step()
	b.post(2)
	b.step()
	b.want(t, "bad", "failed: killed")
	b.PostSystemMessage(&actor.ResumeMailbox{})
	b.step()
	b.want(t, "*actor.Restart")
	b.PostSystemMessage(&actor.ResumeMailbox{}) // protoactor's, behind the restart
	b.step()
	b.want(t, "2,")
}

// Nobody but protoactor tells an actor that it begins or ends, and a parent is told
// once of its end.
func TestMailboxKeepsOutLifecycleAndWatch(t *testing.T) {
	b := newBox()
	b.parent = actor.NewPID("here", "parent")
	for _, m := range []any{&actor.Started{}, &actor.Stopping{}, &actor.Stopped{}, &actor.Restarting{}, &actor.Terminated{}} {
		b.PostUserMessage(m)
		b.PostUserMessage(&actor.MessageEnvelope{Message: m})
	}
	b.PostSystemMessage(&actor.Watch{Watcher: actor.NewPID("here", "parent")})
	b.PostSystemMessage(&actor.Watch{Watcher: actor.NewPID("here", "another")})
	b.step()
	b.want(t, "*actor.Watch")
}
