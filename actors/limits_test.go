package actors

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// gatedActor counts wakes; it stands still while gate is not open.
type gatedActor struct {
	w     *wake
	gate  chan struct{}
	wakes atomic.Int64
	moved *atomic.Int64 // the watermark
	seen  atomic.Int64
}

func (a *gatedActor) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(*wakeUp); ok {
		<-a.gate
		a.wakes.Add(1)
		a.w.clear()
		a.seen.Store(a.moved.Load())
	}
}

// However often it is rung one wake is queued (A3), and the last ring is not
// lost: after the dust has settled the actor has seen the last watermark.
func TestWakeCoalesces(t *testing.T) {
	system := newSystem(DefaultOptions("/").Logger)
	defer system.Shutdown()
	w := newWake(nil)
	w.ring() // nobody is there yet: must not count as rung
	var moved atomic.Int64
	a := &gatedActor{w: w, gate: make(chan struct{}), moved: &moved}
	mailbox := newBatchMailbox[oneByOne]()
	pid := system.Root.Spawn(propsOf(mailbox, func() actor.Actor { return a }))
	w.target.Store(&place{"gated", mailbox})
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 1000 {
				moved.Add(1)
				w.ring()
			}
		})
	}
	wait.Wait()
	close(a.gate)
	eventually(t, "the last watermark is seen", func() bool { return a.seen.Load() == 4000 })
	if n := a.wakes.Load(); n > 2 {
		t.Errorf("%d wakes were queued for 4000 rings of a standing actor, want at most 2", n)
	}
	for range 100 {
		at := moved.Add(1)
		w.ring()
		eventually(t, "a later ring arrives", func() bool { return a.seen.Load() >= at })
	}
	stopAll(t, system, pid)
}

func TestTicker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		system := newSystem(DefaultOptions("/").Logger)
		defer system.Shutdown()
		var ticks atomic.Int64
		var hold atomic.Bool
		gate := make(chan struct{})
		pid := system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
			if m, ok := ctx.Message().(*tick); ok {
				ticks.Add(1)
				if hold.Load() {
					<-gate
				}
				m.took()
			}
		}))
		tk := every(system, pid, time.Second, nil)
		time.Sleep(10*time.Second + time.Millisecond)
		if n := ticks.Load(); n != 10 {
			t.Errorf("%d ticks in 10 s, want 10", n)
		}
		synctest.Wait()
		hold.Store(true) // for the next tick, which is not yet sent
		time.Sleep(30 * time.Second)
		if n := ticks.Load(); n != 11 {
			t.Errorf("%d ticks, want 11: one for an actor that stands still", n)
		}
		close(gate)
		tk.stop()
		tk.stop()
		(*ticker)(nil).stop()
		time.Sleep(10 * time.Second)
		if n := ticks.Load(); n > 11 {
			t.Errorf("%d ticks after stop", n-11)
		}
		stopAll(t, system, pid)
	})
}

func TestAdmission(t *testing.T) {
	a := newAdmission(100)
	if err := a.enter(500); err != nil {
		t.Fatalf("one large put: %v", err)
	}
	if err := a.enter(1); !errors.Is(err, ErrBusy) {
		t.Fatalf("behind a large put: %v", err)
	}
	a.leave(500)
	for range 4 {
		if err := a.enter(25); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.enter(1); !errors.Is(err, ErrBusy) {
		t.Fatalf("beyond the limit: %v", err)
	}
	a.leave(25)
	if err := a.enter(25); err != nil {
		t.Fatalf("after one has left: %v", err)
	}
	idle := a.close(ErrClosed)
	if err := a.enter(1); !errors.Is(err, ErrClosed) && !errors.Is(err, ErrBusy) {
		t.Fatalf("after close: %v", err)
	}
	for range 4 {
		select {
		case <-idle:
			t.Fatal("idle with puts in flight")
		default:
		}
		a.leave(25)
	}
	<-idle
	<-a.close(ErrClosed)
	if err := a.enter(1); !errors.Is(err, ErrClosed) {
		t.Fatalf("after close: %v", err)
	}
	if n := a.inFlight.Load(); n != 0 {
		t.Errorf("%d bytes in flight at the end", n)
	}
}

// Under load the bytes in flight come back to nothing, and close waits for all.
func TestAdmissionRace(t *testing.T) {
	for range 50 {
		a := newAdmission(1000)
		var inside atomic.Int64
		var wait sync.WaitGroup
		for i := range 4 {
			wait.Go(func() {
				for {
					switch err := a.enter(int64(100 + i)); {
					case errors.Is(err, ErrClosed):
						return
					case err == nil:
						inside.Add(1)
						inside.Add(-1)
						a.leave(int64(100 + i))
					}
				}
			})
		}
		<-a.close(ErrClosed)
		if n := inside.Load(); n != 0 {
			t.Fatalf("%d puts inside after idle", n)
		}
		wait.Wait()
		if n := a.inFlight.Load(); n != 0 {
			t.Fatalf("%d bytes in flight", n)
		}
	}
}

// F67: neither a slow callback nor one that panics or ends its goroutine holds
// up the others, and a callback may queue another.
func TestCallbacks(t *testing.T) {
	var reported atomic.Int64
	c := &callbacks{onPanic: func(error) { reported.Add(1) }}
	gate := make(chan struct{})
	var slowEnded, others atomic.Int64
	slow := func() { <-gate; slowEnded.Add(1) }
	c.run(slow)
	for i := range 10 {
		c.run(func() { panic(fmt.Sprint("callback ", i)) })
	}
	c.run(func() { c.run(func() { others.Add(1) }) })
	c.run(slow)
	eventually(t, "those behind a slow one", func() bool { return reported.Load() == 10 && others.Load() == 1 })
	for range 100 { // long after the first alarm
		c.run(func() { others.Add(1) })
	}
	eventually(t, "those that come while slow ones stand", func() bool { return others.Load() == 101 })
	c.run(func() { runtimeGoexit() })
	c.run(func() { others.Add(1) })
	eventually(t, "one behind the end of a goroutine", func() bool { return others.Load() == 102 })
	close(gate)
	eventually(t, "slow ones end", func() bool { return slowEnded.Load() == 2 })
	c.run(func() { others.Add(1) })
	eventually(t, "one at the end", func() bool { return others.Load() == 103 })
}

// Fast callbacks run one after another.
func TestCallbacksInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // no callback is ever late here
		c := &callbacks{}
		var got []int
		for i := range 1000 {
			c.run(func() { got = append(got, i) })
		}
		synctest.Wait()
		if len(got) != 1000 || !slices.IsSorted(got) {
			t.Errorf("%d callbacks, sorted %v", len(got), slices.IsSorted(got))
		}
	})
}

func TestBudgets(t *testing.T) {
	at := func(s float64) time.Time { return time.Unix(1000, 0).Add(time.Duration(s * float64(time.Second))) }
	t.Run("pair", func(t *testing.T) {
		cases := []struct {
			times []float64
			last  bool // the last failure is beyond the budget
		}{
			{[]float64{0}, false},
			{[]float64{0, 1, 2}, false},
			{[]float64{0, 1, 2, 3}, true},
			{[]float64{0, 1, 2, 59.9}, true},
			{[]float64{0, 1, 2, 60}, false},
			{[]float64{0, 30, 59, 61, 90}, false},
			{[]float64{0, 30, 59, 61, 62}, true},
			{[]float64{0, 60, 120, 180, 240, 300}, false},
		}
		for _, c := range cases {
			b := &budgets{}
			beyond := false
			for i, s := range c.times {
				if beyond {
					t.Errorf("%v: beyond at failure %d already", c.times, i)
				}
				beyond = b.pairFailed(at(s), 3, time.Minute)
			}
			if beyond != c.last {
				t.Errorf("%v: beyond %v, want %v", c.times, beyond, c.last)
			}
		}
	})
	t.Run("back-off", func(t *testing.T) {
		b := (&budgets{}).of("x")
		want := []time.Duration{5, 10, 20, 40, 80, 160, 320, 640, 1000, 1000}
		now := 0.0
		for i, w := range want {
			if got := b.fail(at(now)); got != w*time.Millisecond {
				t.Errorf("pause %d is %v, want %v ms", i, got, w)
			}
			now += 9.9
		}
		for range 100 {
			if got := b.fail(at(now)); got != time.Second {
				t.Fatalf("pause %v after many failures, want 1 s", got)
			}
		}
		if got := b.fail(at(now + 10)); got != 5*time.Millisecond {
			t.Errorf("pause %v after 10 s without failures, want 5 ms", got)
		}
	})
	t.Run("without progress", func(t *testing.T) {
		c, mailbox := (&budgets{}).of("x"), newBatchMailbox[oneByOne]()
		for i, f := range []struct {
			turns int64 // since the failure before
			pause time.Duration
		}{{100, 5}, {4, 10}, {failureTurns, 20}, {failureTurns + 1, 5}, {3, 10}} {
			mailbox.turns += f.turns
			c.look(mailbox)
			if got := c.fail(at(float64(60 * i))); got != f.pause*time.Millisecond {
				t.Errorf("pause %d is %v, want %v ms", i, got, f.pause)
			}
		}
	})
	t.Run("park", func(t *testing.T) {
		b := (&budgets{}).of("x")
		for i, c := range []struct {
			at    int64
			stuck bool
		}{{0, false}, {0, false}, {0, false}, {0, false}, {7, false}, {7, false}, {7, false}, {7, false}, {7, true}} {
			if got := b.stuck(c.at); got != c.stuck {
				t.Errorf("failure %d at %d: stuck %v", i, c.at, got)
			}
		}
	})
	t.Run("own", func(t *testing.T) {
		b := &budgets{}
		for range 5 {
			b.of("x").fail(at(0))
		}
		if got := b.of("y").fail(at(0)); got != 5*time.Millisecond {
			t.Errorf("a sibling's failures count: pause %v", got)
		}
	})
}

func TestOfDisk(t *testing.T) {
	for _, c := range []struct {
		reason any
		want   bool
	}{
		{"a panic", false}, {errors.New("bad record"), false}, {nil, false},
		{&fs.PathError{Op: "write", Path: "x", Err: syscall.EIO}, true},
		{fmt.Errorf("queues-0: %w", &fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}), true},
		{fmt.Errorf("x: %w", syscall.ENOMEM), true},
		{&mapped.FaultError{Path: "x"}, true},
	} {
		if got := ofDisk(c.reason); got != c.want {
			t.Errorf("ofDisk(%v) = %v", c.reason, got)
		}
	}
}

func TestDeletions(t *testing.T) {
	var d deletions
	if d.any() || d.has("a") {
		t.Error("nothing is being deleted at first")
	}
	if !d.start("a") || d.start("a") || !d.start("b") {
		t.Error("each topic has one deleter")
	}
	if !d.has("a") || d.has("c") {
		t.Error("wrong topics")
	}
	d.end("a")
	if d.has("a") || !d.has("b") || !d.start("a") {
		t.Error("a deletion that ended")
	}
	d.end("a")
	d.end("b")
	d.end("b")
	if d.any() {
		t.Error("nothing is left")
	}
	var winners atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if d.start("x") {
				winners.Add(1)
			}
		})
	}
	wait.Wait()
	if winners.Load() != 1 {
		t.Errorf("%d deleters of one topic", winners.Load())
	}
}
