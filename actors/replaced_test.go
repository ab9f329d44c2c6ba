package actors

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// A dispatch whose place was taken does not take it back when it is restarted,
// and whoever waits for it is sent to the other one.
func TestFencedDispatch(t *testing.T) {
	r := open(t)
	tr, mailbox := r.tree(), newBatchMailbox[oneByOne]()
	pid := r.s.system.Root.Spawn(propsOf(mailbox, func() actor.Actor {
		return &dispatchActor{t: tr, mailbox: mailbox, turn: -1}
	}))
	mailbox.PostSystemMessage(&actor.Restart{})
	r.s.system.Root.Send(pid, theWakeUp)
	answer := make(chan error, 1)
	r.s.system.Root.Send(pid, &forgetTopic{"a", func(err error) { answer <- err }})
	select {
	case err := <-answer:
		if !errors.Is(err, ErrRestarting) {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Error("whoever deletes a topic waits for ever")
	}
	r.puts("a", 0, 3)
	r.dispatched()
	stopAll(t, r.s.system, pid)
	r.close()
}

// The windows that wait for a sink that hangs are taken back, though dispatch
// was replaced before it came to that.
func TestDispatchReplacedWhileSinkHangs(t *testing.T) {
	virtual(t, func(t *testing.T) {
		f, sink, disp := &seam{}, make(chan struct{}), make(chan struct{})
		r := open(t, watchHangs(f))
		tr := r.tree()
		f.next(r, "queues-0", func() { <-sink })
		for range 2 * windowCount {
			r.put("a", 0, "x")
			time.Sleep(10 * time.Millisecond)
		}
		if n := len(tr.windows); n != 0 {
			t.Fatalf("%d windows are free", n)
		}
		time.Sleep(hangLimit / 2)
		f.next(r, dispatchName, func() { <-disp })
		time.Sleep(4 * hangLimit)
		if r.told("hung "+dispatchName) != 1 || r.told("hung queues-0") != 1 {
			t.Errorf("%q", r.events)
		}
		r.put("a", 0, "x")
		time.Sleep(time.Second)
		for _, s := range tr.sinks {
			if s.name != "queues-0" && s.Applied() != tr.log().Appended() {
				t.Errorf("%s has applied %d of %d", s.name, s.Applied(), tr.log().Appended())
			}
		}
		close(disp)
		close(sink)
		time.Sleep(hangLimit)
		r.dispatched()
		r.close()
	})
}

// A wake that was rung while an actor was replaced, and went to the one that is
// gone, does not keep the new one asleep.
func TestWakeOfPredecessor(t *testing.T) {
	system := newSystem(zerolog.Nop())
	defer system.Shutdown()
	spawn := func(f func()) (*actor.PID, *place) {
		mailbox := newBatchMailbox[oneByOne]()
		pid := system.Root.Spawn(propsOf(mailbox, func() actor.Actor {
			return actor.ReceiveFunc(func(c actor.Context) {
				if _, ok := c.Message().(*wakeUp); ok {
					f()
				}
			})
		}))
		return pid, &place{"sleeper", mailbox}
	}
	w, woken := newWake(nil), make(chan struct{}, 1)
	pid, old := spawn(func() { t.Error("it is gone") })
	stopAll(t, system, pid)
	w.target.Store(old)
	w.ring()
	_, next := spawn(func() { woken <- struct{}{} })
	w.aim(next)
	select {
	case <-woken:
	case <-time.After(10 * time.Second):
		t.Error("nobody was woken")
	}
}

// unlocked is a log that may hang: the watch must not hold its lock meanwhile.
type unlocked struct{ look func(line string) }

func (u unlocked) Write(b []byte) (int, error) {
	u.look(string(b))
	return len(b), nil
}

func TestWatchLogsWithNothingLocked(t *testing.T) {
	virtual(t, func(t *testing.T) {
		f, gate := &seam{}, make(chan struct{})
		var lines atomic.Int64
		var watch atomic.Pointer[watcher]
		r := open(t, watchHangs(f), func(o *Options) {
			o.Logger = zerolog.New(unlocked{func(line string) {
				if !strings.Contains(line, "does not move") && !strings.Contains(line, "moves again") {
					return
				}
				lines.Add(1)
				if w := watch.Load(); !w.mu.TryLock() {
					t.Error("locked: ", line)
				} else {
					w.mu.Unlock()
				}
			}})
		})
		watch.Store(r.tree().watch)
		f.next(r, retentionName, func() { <-gate })
		time.Sleep(4 * hangLimit)
		close(gate)
		time.Sleep(hangLimit)
		if n := lines.Load(); n != 2 {
			t.Errorf("%d lines", n)
		}
		r.close()
	})
}

// Options of a store that its parent spawns are looked at before the disk is.
func TestPropsWithInvalidOptions(t *testing.T) {
	system := newSystem(zerolog.Nop())
	defer system.Shutdown()
	disk := mappedtest.NewFS()
	o := small(disk)
	o.DeleteWhen = "never"
	props, s := Props(o)
	system.Root.Spawn(props)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	var option *OptionError
	if err := s.Ready(ctx); !errors.As(err, &option) {
		t.Errorf("ready: %v", err)
	}
	<-s.stopped
	if _, err := disk.Stat(root); err == nil {
		t.Error("it has touched the disk")
	}
}

// A put that was let in just before its store was stopped, and is sent when all
// actors have gone, is answered.
func TestPutSentAfterTheEnd(t *testing.T) {
	r := open(t)
	tr, p := r.tree(), newRequest()
	if err := tr.admission.enter(1); err != nil {
		t.Fatal(err)
	}
	stopAll(t, r.s.system, r.s.PID())
	p.Weight = 1
	tr.appender().PostUserMessage(p)
	if !p.Done() || !errors.Is(p.Result.Err, ErrClosed) {
		t.Errorf("answered %v: %v", p.Done(), p.Result.Err)
	}
	if n := tr.admission.inFlight.Load(); n != 0 {
		t.Errorf("%d bytes in flight", n)
	}
	r.close()
}

// A replacement that hangs as well is replaced in its turn, when the first one
// has ended.
func TestReplacementHangs(t *testing.T) {
	virtual(t, func(t *testing.T) {
		f := &seam{}
		r := open(t, watchHangs(f), func(o *Options) { o.Readers = 1 })
		hang := func() (gate chan struct{}, asked *actor.Future) {
			gate = make(chan struct{})
			f.mu.Lock()
			f.hooks = map[string]func(){"reader-0": func() { <-gate }}
			f.mu.Unlock()
			return gate, r.s.system.Root.RequestFuture(r.s.PID(), &Offsets{Topic: "a"}, time.Hour)
		}
		first, _ := hang()
		time.Sleep(2 * hangLimit)
		second, asked := hang()
		time.Sleep(2 * hangLimit)
		close(first)
		if _, err := asked.Result(); err != nil {
			t.Error(err)
		}
		close(second)
		time.Sleep(time.Second)
		r.close()
	})
}
