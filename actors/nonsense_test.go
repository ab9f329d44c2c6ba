package actors

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

// nonsense is what no actor of a store has any business with. Those of protoactor
// tell an actor that it begins or ends: sent by somebody else they let the store end
// while its actors wrote, or open a second time.
var nonsense = []any{
	nil, 7, "text", struct{}{}, (*Put)(nil), &wakeUp{}, &tick{}, &catchUp{}, &rewind{}, &sinkBack{}, &sinkBack{"nobody"},
	&sinkAway{"nobody", awayParked}, &fallBehind{}, &removed{}, &follow{}, &reach{}, &reach{name: "nobody"},
	&actor.Started{}, &actor.Stopping{}, &actor.Stopped{}, &actor.Restarting{}, &actor.Restart{}, &actor.ReceiveTimeout{},
	&actor.Terminated{}, &actor.SuspendMailbox{}, &actor.ResumeMailbox{}, &actor.Failure{}, &actor.Watch{}, &actor.Unwatch{},
}

// Every actor may be fed nonsense: nothing that anybody was promised is lost, and
// everything works on.
func TestNonsense(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		virtual(t, func(t *testing.T) {
			r := open(t, flush, watchHangs(&seam{}))
			calls, end := r.calls(), &atomic.Bool{}
			wait := keepCalling(r, calls, end)
			r.puts("b", 0, 10)
			before := r.tree()
			pids := []*actor.PID{r.s.PID()}
			for name := range kinds {
				pids = append(pids, r.pid(name))
			}
			for _, m := range nonsense {
				for _, pid := range pids {
					r.s.system.Root.Send(pid, m)
					r.s.system.Root.RequestWithCustomSender(pid, m, actor.NewPID("nowhere", "nobody"))
				}
				time.Sleep(50 * time.Millisecond)
			}
			time.Sleep(2 * time.Second)
			if r.tree() != before {
				t.Errorf("the store was opened anew: %q", r.events)
			}
			succeeds(t, calls, 4*time.Second, "")
			end.Store(true)
			wait.Wait()
			r.numbered("b", 10)
			r.close()
		})
	})
}

// Messages that ask for what cannot be are answered, by the type that belongs to
// them, and so are pointers to nothing. The store goes on as it was.
func TestImpossibleMessages(t *testing.T) {
	r := open(t)
	r.puts("a", 0, 3)
	r.dispatched()
	before := r.tree()
	huge := make([]record.Message, 3)
	for i, m := range []any{
		(*Put)(nil), (*PutBatch)(nil), (*Get)(nil), (*Query)(nil), (*Lookup)(nil), (*LookupID)(nil), (*OffsetByTime)(nil),
		(*MessageTime)(nil), (*Offsets)(nil), (*Topics)(nil), (*DeleteTopic)(nil), (*Flush)(nil), (*GetState)(nil),
		Put{}, PutBatch{}, PutBatch{huge}, Get{}, Get{reader.GetRequest{Topic: "a", QueueID: -1, Offset: -1, MaxCount: -1, MaxBytes: -1}},
		Get{reader.GetRequest{Topic: "a", Offset: 1 << 62, MaxCount: 1 << 30, MaxBytes: 1 << 30}},
		Query{reader.QueryRequest{Topic: "../..", Key: "x", End: -1, MaxCount: -7}}, Lookup{-1}, Lookup{1 << 62}, LookupID{"no id"}, LookupID{},
		OffsetByTime{Topic: "a", QueueID: -3, Timestamp: -1, Boundary: consumequeue.Boundary(77)}, MessageTime{Topic: "a", Offset: -1},
		Offsets{Topic: "\x00"}, DeleteTopic{Topic: "../../etc"}, DeleteTopic{},
	} {
		answer, err := r.s.system.Root.RequestFuture(r.s.PID(), m, patience).Result()
		if err != nil {
			t.Fatalf("%d: %T is not answered: %v", i, m, err)
		}
		want := unserved(asked(m), ErrClosed)
		if fmt.Sprintf("%T", answer) != fmt.Sprintf("%T", want) {
			t.Errorf("%d: %T is answered with %T", i, m, answer)
		}
		if p, ok := answer.(*PutReply); ok && p.Result.Status != flusher.MessageIllegal {
			t.Errorf("%d: %+v", i, p.Result)
		}
	}
	if r.tree() != before || len(r.heard()) != 1 {
		t.Errorf("%q", r.events)
	}
	r.puts("a", 3, 6)
	r.numbered("a", 6)
	r.close()
}

// A user's function that panics, or ends the goroutine that it runs on as t.FailNow
// does, harms nobody: the store goes on, and closes.
func TestEventsThatFail(t *testing.T) {
	for name, fail := range map[string]func(){"panic": func() { panic("event") }, "goexit": runtimeGoexit} {
		t.Run(name, func(t *testing.T) {
			bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
				virtual(t, func(t *testing.T) {
					var told atomic.Int64
					one := func() { told.Add(1); fail() }
					r := open(t, flush, func(o *Options) {
						o.RestartBudget = 1000
						o.CleanResourceInterval = time.Second
						o.MaxStoreSize = 2 * o.MappedFileSizeCommitLog
					})
					e := &r.s.o.Events
					*e = Events{SegmentCreated: func(string) { one() }, SegmentsExpired: func(int64, string) { one() },
						ActorRestarted: func(ActorEvent) { one() }, DiskFull: func(bool, error) { one() }}.shielded(func(error) {})
					r.tree().o.Events = *e
					body := string(make([]byte, 8000))
					for i := range 60 {
						ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
						if _, err := r.s.Put(ctx, message("a", 0, body)); errors.Is(err, context.DeadlineExceeded) {
							t.Fatalf("put %d is not answered", i)
						}
						cancel()
						if i%10 == 0 {
							r.kill([]string{indexName, appendName, dispatchName, "reader-0", flusherName, checkName}[i/10])
						}
						time.Sleep(200 * time.Millisecond)
					}
					if n := told.Load(); n < 10 {
						t.Errorf("%d events: the test tests nothing", n)
					}
					r.put("after", 0, "x")
					r.dispatched()
					r.close()
				})
			})
		})
	}
}
