package actors

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// family is a user's actor with a store and another actor as children, under a
// strategy of its own.
type family struct {
	o        Options
	strategy actor.SupervisorStrategy
	system   *actor.ActorSystem
	pid      *actor.PID

	mu     sync.Mutex
	stores []*Store // one after another
	other  *actor.PID
	ended  int // stores that it has seen ending
}

func raise(t *testing.T, o Options, strategy actor.SupervisorStrategy) *family {
	t.Helper()
	f := &family{o: o, strategy: strategy, system: newSystem(o.Logger)}
	f.pid = f.system.Root.Spawn(actor.PropsFromProducer(func() actor.Actor { return f }, actor.WithSupervisor(strategy)))
	t.Cleanup(func() {
		stopAll(t, f.system, f.pid)
		f.system.Shutdown()
	})
	eventually(t, "the store is spawned", func() bool { n, _ := f.seen(); return n == 1 })
	return f
}

func (f *family) Receive(ctx actor.Context) {
	switch ctx.Message().(type) {
	case *actor.Started:
		props, s := Props(f.o)
		pid, err := ctx.SpawnNamed(props, "store")
		if err != nil {
			panic(err)
		}
		ctx.Watch(pid)
		other := ctx.Spawn(actor.PropsFromFunc(func(c actor.Context) {
			if c.Message() == "fail" {
				panic("another child fails")
			}
		}))
		f.mu.Lock()
		f.stores, f.other = append(f.stores, s), other
		f.mu.Unlock()
	case *actor.Terminated:
		f.mu.Lock()
		f.ended++
		f.mu.Unlock()
	}
}

// seen counts the stores that it has had, and those that it has seen ending.
func (f *family) seen() (stores, ended int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.stores), f.ended
}

// fail lets the other child fail.
func (f *family) fail() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.system.Root.Send(f.other, "fail")
}

func (f *family) store() *Store {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.stores[len(f.stores)-1]
}

// The parent of a store decides what becomes of one that has failed. Resumed it is
// restarted all the same: what it had in hand is lost.
func TestParentDecides(t *testing.T) {
	for name, c := range map[string]struct {
		directive actor.Directive
		ends      bool
		stores    int
	}{
		"restart":  {actor.RestartDirective, false, 1},
		"resume":   {actor.ResumeDirective, false, 1},
		"stop":     {actor.StopDirective, true, 1},
		"escalate": {actor.EscalateDirective, false, 2}, // its parent is restarted, and makes another
	} {
		t.Run(name, func(t *testing.T) {
			bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
				virtual(t, func(t *testing.T) {
					b := &breaker{}
					o := small(mappedtest.NewFS())
					o.Faults = b
					flush(&o)
					f := raise(t, o, actor.NewOneForOneStrategy(10, time.Minute, func(any) actor.Directive { return c.directive }))
					s := f.store()
					if err := s.Ready(t.Context()); err != nil {
						t.Fatal(err)
					}
					r := &rig{t: t, s: s, ctx: t.Context()}
					r.puts("a", 0, 10)
					p, err := s.Begin(message("b", 0, "on its way"))
					if err != nil {
						t.Fatal(err)
					}
					b.deeds.Store(storeName, func() { panic("killed") })
					if err := s.Poke(storeName); err != nil {
						t.Fatal(err)
					}
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					if _, err := p.Wait(ctx); ctx.Err() != nil {
						t.Errorf("a put is not answered: %v", err)
					}
					time.Sleep(5 * time.Second)
					stores, ended := f.seen()
					if stores != c.stores {
						t.Errorf("%d stores, want %d", stores, c.stores)
					}
					if c.ends {
						if ended != 1 {
							t.Errorf("its parent has seen %d ends", ended)
						}
						if _, err := s.Put(t.Context(), message("a", 0, "x")); !errors.Is(err, ErrClosed) {
							t.Errorf("put: %v", err)
						}
						if held, err := checkpoint.IsLocked(o.FS, checkpoint.NewLayout(root, "").LockFile()); held || err != nil {
							t.Errorf("the lock: %v %v", held, err)
						}
						return
					}
					r.s = f.store()
					r.puts("a", 10, 20)
					r.numbered("a", 20)
				})
			})
		})
	}
}

// A store whose parent restarts all its children, because another one has failed,
// was told to open when it had not yet opened: the end of the first opening was
// taken for that of the second, and the store ended without an error.
func TestRestartedWhileOpening(t *testing.T) {
	virtual(t, func(t *testing.T) {
		inside, gate := make(chan struct{}, 10), make(chan struct{})
		disk := mappedtest.NewFS()
		o := small(mappedtest.NewScript(disk, mappedtest.Rule{Op: mappedtest.OpLock, Forever: true, Before: func() { inside <- struct{}{}; <-gate }}))
		f := raise(t, o, actor.NewAllForOneStrategy(10, time.Minute, actor.DefaultDecider))
		<-inside
		for range 3 {
			f.fail()
			time.Sleep(100 * time.Millisecond)
		}
		close(gate)
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := f.store().Ready(ctx); err != nil {
			t.Fatalf("ready: %v", err)
		}
		r := &rig{t: t, s: f.store(), ctx: t.Context()}
		r.puts("a", 0, 10)
		r.numbered("a", 10)
		if err := f.store().Close(t.Context()); err != nil {
			t.Error(err)
		}
		if n, m := disk.OpenFiles(), disk.Mappings(); n != 0 || m != 0 {
			t.Errorf("%d files and %d mappings are open", n, m)
		}
	})
}

// Restarted with its siblings again and again while it serves, a store loses
// nothing and answers everybody.
func TestRestartedWithItsSiblings(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		virtual(t, func(t *testing.T) {
			o := small(mappedtest.NewFS())
			flush(&o)
			f := raise(t, o, actor.NewAllForOneStrategy(100, time.Minute, actor.DefaultDecider))
			if err := f.store().Ready(t.Context()); err != nil {
				t.Fatal(err)
			}
			r := &rig{t: t, s: f.store(), ctx: t.Context()}
			n := 0
			for range 10 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				for range 20 {
					switch result, err := r.s.Put(ctx, message("a", 0, "x")); {
					case ctx.Err() != nil:
						t.Fatalf("not answered: %v", err)
					case err == nil:
						n++
						if result.QueueOffset < int64(n-1) {
							t.Errorf("offset %d for put %d", result.QueueOffset, n)
						}
					default:
						time.Sleep(10 * time.Millisecond)
					}
				}
				cancel()
				f.fail()
			}
			time.Sleep(time.Second)
			r.dispatched()
			if got := len(r.bodies("a", 0)); got < n {
				t.Errorf("%d messages, %d were answered", got, n)
			}
		})
	})
}

// Two stores in one system: the supervisor of one may fail as it likes.
func TestStoreFailsBesideAnother(t *testing.T) {
	virtual(t, func(t *testing.T) {
		system := newSystem(DefaultOptions("/").Logger)
		defer system.Shutdown()
		b := &breaker{}
		var stores [2]*Store
		for i, name := range []string{"one", "two"} {
			o := small(mappedtest.NewFS())
			if i == 0 {
				o.Faults = b
			}
			s, err := Spawn(t.Context(), system.Root, name, o)
			if err != nil {
				t.Fatal(err)
			}
			stores[i] = s
		}
		for i := range 30 {
			b.deeds.Store(storeName, func() { panic("killed") })
			_ = stores[0].Poke(storeName) // it may not be back yet, or be gone
			if result, err := stores[1].Put(t.Context(), message("a", 0, "x")); err != nil || result.QueueOffset != int64(i) {
				t.Fatalf("put %d of the other: %+v %v", i, result, err)
			}
			time.Sleep(100 * time.Millisecond)
		}
		for _, s := range stores {
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
}

// A parent that was restarted spawned the Props again that it had made before. The
// second actor shared the mailbox and the handle of the first: it never came to
// anything, and its parent never stopped.
func TestPropsAreOfOneActor(t *testing.T) {
	virtual(t, func(t *testing.T) {
		system := newSystem(DefaultOptions("/").Logger)
		defer system.Shutdown()
		props, s := Props(small(mappedtest.NewFS()))
		parent := actor.PropsFromFunc(func(c actor.Context) {
			switch c.Message() {
			case "again":
				_, _ = c.SpawnNamed(props, "store")
			case "another":
				c.Spawn(props)
			}
		})
		pid := system.Root.Spawn(parent)
		system.Root.Send(pid, "again")
		if err := s.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		system.Root.Send(pid, "again") // the name is in use
		system.Root.Send(pid, "another")
		time.Sleep(time.Second)
		r := &rig{t: t, s: s, ctx: t.Context()}
		r.puts("a", 0, 3)
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		system.Root.Send(pid, "again")
		time.Sleep(time.Second)
		if _, err := s.Put(t.Context(), message("a", 0, "x")); !errors.Is(err, ErrClosed) {
			t.Errorf("put: %v", err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		stopAll(t, system, pid)
	})
}

// A system that is shut down leaves its actors alone: the store serves on, and
// closes.
func TestSystemIsShutDown(t *testing.T) {
	virtual(t, func(t *testing.T) {
		system := newSystem(DefaultOptions("/").Logger)
		s, err := Spawn(t.Context(), system.Root, "store", small(mappedtest.NewFS()))
		if err != nil {
			t.Fatal(err)
		}
		system.Shutdown()
		r := &rig{t: t, s: s, ctx: t.Context()}
		r.puts("a", 0, 3)
		r.numbered("a", 3)
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
