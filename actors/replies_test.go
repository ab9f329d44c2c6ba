package actors

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/reader"
)

// slowAsker takes no answer before gate is closed, and counts them then.
func (r *rig) slowAsker(gate <-chan struct{}, took func(answer any), props ...actor.PropsOption) *actor.PID {
	return r.s.system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		switch m := c.Message().(type) {
		case *PutReply, *StateReply, *GetReply:
			<-gate
			took(m)
		}
	}, props...))
}

// Answers were sent by the actor that had them: one asker whose mailbox was full, or
// that worked on the goroutine of whoever sends to it, stopped append, the flusher,
// the supervisor or a reader, and with it the store.
func TestSlowAskerStopsNobody(t *testing.T) {
	askers := map[string]actor.PropsOption{
		"bounded":      actor.WithMailbox(actor.Bounded(2)),
		"synchronized": actor.WithDispatcher(actor.NewSynchronizedDispatcher(300)),
	}
	asks := map[string]func() any{
		"put":     func() any { return &Put{*message("a", 0, "x")} },
		"state":   func() any { return &GetState{} },
		"look-up": func() any { return &Get{reader.GetRequest{Topic: "b", MaxCount: 1}} },
	}
	for kind, option := range askers {
		for name, ask := range asks {
			t.Run(kind+" "+name, func(t *testing.T) {
				bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
					r := open(t, flush)
					r.puts("b", 0, 1)
					r.dispatched()
					gate := make(chan struct{})
					var took atomic.Int64
					slow := r.slowAsker(gate, func(any) { took.Add(1) }, option)
					for range 20 {
						r.s.system.Root.RequestWithCustomSender(r.s.PID(), ask(), slow)
					}
					r.puts("b", 1, 10)
					for _, ask := range asks {
						if _, err := r.s.system.Root.RequestFuture(r.s.PID(), ask(), patience).Result(); err != nil {
							t.Errorf("%T: %v", ask(), err)
						}
					}
					close(gate)
					eventually(t, "the slow one has its answers", func() bool { return took.Load() == 20 })
					stopAll(t, r.s.system, slow)
					r.numbered("b", 10)
					r.healthy()
					r.close()
				})
			})
		}
	}
}

// Answers to one asker come in the order in which they were given, although it takes
// its time in between, and a store that closes does not wait for it.
func TestAnswersInOrder(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t)
		gate, n, last := make(chan struct{}), 0, int64(-1)
		slow := r.slowAsker(gate, func(answer any) {
			if at := answer.(*PutReply).Result.QueueOffset; at != last+1 {
				t.Errorf("offset %d behind %d", at, last)
			} else if last, n = at, n+1; n%7 == 0 {
				time.Sleep(2 * slowCallback)
			}
		}, actor.WithDispatcher(actor.NewSynchronizedDispatcher(300)))
		for range 100 {
			r.s.system.Root.RequestWithCustomSender(r.s.PID(), &Put{*message("a", 0, "x")}, slow)
		}
		time.Sleep(time.Second)
		r.close()
		close(gate)
		time.Sleep(time.Second)
		synctest.Wait()
		if n != 100 {
			t.Errorf("%d answers", n)
		}
		stopAll(t, r.s.system, slow)
	})
}

// An asker that takes no answers but asks on and on gets no more messages than it has
// room for; others do.
func TestAnswersThatWaitAreBounded(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, func(o *Options) { o.MaxBytesInFlight = 400_000 })
		r.put("a", 0, string(make([]byte, 10_000)))
		r.dispatched()
		gate, well, busy := make(chan struct{}), 0, 0
		slow := r.slowAsker(gate, func(answer any) {
			if err := answer.(*GetReply).Err; err == nil {
				well++
			} else if errors.Is(err, ErrBusy) {
				busy++
			}
		}, actor.WithDispatcher(actor.NewSynchronizedDispatcher(300)))
		ask := func() any { return &Get{reader.GetRequest{Topic: "a", MaxCount: 1}} }
		for range 1000 {
			r.s.system.Root.RequestWithCustomSender(r.s.PID(), ask(), slow)
		}
		time.Sleep(time.Second)
		answer, err := r.s.system.Root.RequestFuture(r.s.PID(), ask(), time.Hour).Result()
		if got, ok := answer.(*GetReply); !ok || got.Err != nil {
			t.Errorf("another one: %v %v", answer, err)
		}
		close(gate)
		time.Sleep(time.Second)
		synctest.Wait()
		if well < 10 || well > 45 || well+busy != 1000 {
			t.Errorf("%d answered well, %d busy", well, busy)
		}
		if n := r.s.replies.bytes; n != 0 {
			t.Errorf("%d bytes are said to wait", n)
		}
		stopAll(t, r.s.system, slow)
		r.close()
	})
}

// Behind an asker that has gone are the subscribers of dead letters: whatever they do,
// everybody else is answered.
func TestAskersThatHaveGone(t *testing.T) {
	mourned(t, func(t *testing.T, r *rig) {
		r.puts("b", 0, 1)
		nobody := actor.NewPID(r.s.system.Address(), "nobody")
		for i := range 50 {
			r.s.system.Root.RequestWithCustomSender(r.s.PID(), &Put{*message("a", 0, "x")}, nobody)
			r.s.system.Root.RequestWithCustomSender(r.s.PID(), &GetState{}, nobody)
			r.put("b", 0, fmt.Sprint(i+1))
		}
		r.answered()
		r.numbered("b", 51)
		r.healthy()
	}, syncFlush)
}
