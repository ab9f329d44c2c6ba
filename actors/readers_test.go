package actors

import (
	"errors"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/reader"
)

// A reader that somebody has just stopped is gone before the store hears of it. A
// look-up that came in that moment was answered by protoactor, with its reply for
// dead letters, and not with the typed one.
func TestLookUpToAStoppedReader(t *testing.T) {
	virtual(t, func(t *testing.T) { // the pause before the reader comes back does not end while somebody works
		r := open(t, func(o *Options) { o.Readers = 1 })
		r.puts("a", 0, 3)
		r.dispatched()
		release := r.hold("reader-0")
		// The reader has ended when its last answer comes, behind which nobody is there.
		inside, gate := make(chan struct{}), make(chan struct{})
		slow := r.s.system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
			if _, ok := c.Message().(*GetReply); ok {
				close(inside)
				<-gate
			}
		}, actor.WithDispatcher(actor.NewSynchronizedDispatcher(300))))
		get := &Get{reader.GetRequest{Topic: "a", MaxCount: 10}}
		r.s.system.Root.RequestWithCustomSender(r.s.PID(), get, slow)
		eventually(t, "the look-up waits", func() bool { return r.tree().readers[0].mailbox.UserMessageCount() == 1 })
		r.s.system.Root.Stop(r.pid("reader-0"))
		release()
		<-inside
		answer, err := r.s.system.Root.RequestFuture(r.s.PID(), get, patience).Result()
		if reply, ok := answer.(*GetReply); err != nil || !ok || !errors.Is(reply.Err, ErrRestarting) {
			t.Errorf("got %T %v", answer, err)
		}
		close(gate)
		eventually(t, "the reader is back", func() bool {
			answer, err := r.s.system.Root.RequestFuture(r.s.PID(), get, time.Minute).Result()
			return err == nil && answer.(*GetReply).Err == nil
		})
		stopAll(t, r.s.system, slow)
		r.close()
	})
}
