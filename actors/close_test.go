package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
)

// F13: every put that was answered before or during Close is there afterwards,
// and after Close began nobody hangs.
func TestCloseUnderLoad(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		for round := range 3 {
			l := r.load()
			l.more(50 + 37*round)
			r.close()
			eventually(t, "a put comes after the close", func() bool { return l.refused.Load() > 0 })
			l.stop()
			r.start(flush)
			if r.told("opened clean=true") != round+2 {
				t.Errorf("round %d: the stop was not clean: %q", round, r.events)
			}
			l.check()
			if err := r.s.DeleteTopic(r.ctx, "load"); err != nil {
				t.Fatal(err)
			}
		}
		r.close()
	})
}

// F12, F65: a Close that has no time leaves the abort marker and loses nothing.
func TestCloseWithoutTime(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		r.puts("a", 0, 500)
		ctx, cancel := context.WithTimeout(r.ctx, time.Nanosecond)
		defer cancel()
		if err := r.s.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("close without time: %v", err)
		}
		if err := r.s.Close(r.ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("its end: %v", err)
		}
		if !r.aborted() {
			t.Error("no abort marker")
		}
		r.start(flush) // the lock is free, in the same process
		if r.told("opened clean=false") != 1 {
			t.Errorf("%q", r.events)
		}
		r.numbered("a", 500)
		r.indexed("a", 500)
		r.close()
	})
}

// F12: dispatch that is behind is caught up with before the marker goes.
func TestCloseDrainsDispatch(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t)
		r.puts("a", 0, 1)
		r.dispatched()
		release := r.hold("dispatch")
		r.puts("a", 1, 300)
		if n := len(r.bodies("a", 0)); n == 300 { // the shards look themselves when they start
			t.Error("dispatch is not behind: the test tests nothing")
		}
		closed := make(chan error, 1)
		go func() { closed <- r.s.Close(r.ctx) }()
		synctest.Wait() // dispatch is told to stop, and does not look again
		release()
		if err := <-closed; err != nil || r.aborted() {
			t.Errorf("close: %v, abort marker %v", err, r.aborted())
		}
		summary, err := checkpoint.ReadQueues(r.disk, r.layout())
		if err != nil || summary == nil {
			t.Fatalf("summary %v %v", summary, err)
		}
		mark, ok, err := checkpoint.ReadMark(r.disk, r.layout())
		if err != nil || !ok {
			t.Fatalf("mark: %v %v", ok, err)
		}
		if summary.Dispatched != mark.FlushedEnd || summary.IndexApplied != mark.FlushedEnd || len(summary.Queues) != 1 || summary.Queues[0].MaxOffset != 300 {
			t.Errorf("summary %+v, mark at %d", summary, mark.FlushedEnd)
		}
		r.start()
		r.numbered("a", 300)
		r.close()
	})
}

func TestCloseTwice(t *testing.T) {
	r := open(t)
	r.puts("a", 0, 10)
	errs := make(chan error, 8)
	for range cap(errs) {
		go func() { errs <- r.s.Close(r.ctx) }()
	}
	for range cap(errs) {
		if err := <-errs; err != nil {
			t.Errorf("concurrent close: %v", err)
		}
	}
	r.close()
	if _, err := r.s.State(); !errors.Is(err, ErrClosed) {
		t.Errorf("state: %v", err)
	}
	if _, err := r.s.Reader(); !errors.Is(err, ErrClosed) {
		t.Errorf("reader: %v", err)
	}
	if err := r.s.Flush(r.ctx); !errors.Is(err, ErrClosed) {
		t.Errorf("flush: %v", err)
	}
	if err := r.s.DeleteTopic(r.ctx, "a"); !errors.Is(err, ErrClosed) {
		t.Errorf("delete: %v", err)
	}
	noLeaks(t)
}

// A slow disk: Close waits as long as it is given.
func TestCloseSlowDisk(t *testing.T) {
	r := open(t, syncFlush)
	gate := make(chan struct{})
	r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Before: func() { <-gate }})
	p, err := r.s.Begin(message("a", 0, "0"))
	if err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(r.ctx, 5*time.Millisecond)
	defer cancel()
	if err := r.s.Close(short); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("close: %v", err)
	}
	close(gate)
	if result, err := p.Wait(r.ctx); err != nil && result.Status != flusher.FlushDiskTimeout {
		t.Errorf("the put that waited: %+v %v", result, err)
	}
	if err := r.s.Close(r.ctx); err == nil || !r.aborted() {
		t.Errorf("a close whose time was over ends with %v", err)
	}
	r.crash(syncFlush)
	r.numbered("a", 1)
	r.close()
}

// F64: whatever panics or fails while stopping, the store ends, gives the lock
// back and says so; a new one opens in the same process.
func TestPanicWhileStopping(t *testing.T) {
	boom := func() { panic("stopping") }
	for _, c := range []struct {
		name string
		rule mappedtest.Rule
		fine bool // Close need not report it
	}{
		{"unmap", mappedtest.Rule{Op: mappedtest.OpUnmap, Before: boom}, false},
		{"close of a segment", mappedtest.Rule{Op: mappedtest.OpClose, Path: root + "/commitlog/*", Before: boom}, false},
		{"close of a queue", mappedtest.Rule{Op: mappedtest.OpClose, Path: "queuefile-*", Before: boom}, false},
		{"close of the index", mappedtest.Rule{Op: mappedtest.OpClose, Path: root + "/index/*", Before: boom}, false},
		{"summary", mappedtest.Rule{Op: mappedtest.OpRename, Path: root + "/actorstore/queues", Before: boom}, false},
		{"mark", mappedtest.Rule{Op: mappedtest.OpWrite, Path: root + "/actorstore/mark", Before: boom}, false},
		{"abort", mappedtest.Rule{Op: mappedtest.OpRemove, Path: root + "/abort", Before: boom}, false},
		{"summary fails", mappedtest.Rule{Op: mappedtest.OpRename, Path: root + "/actorstore/queues", Err: syscall.EIO}, false},
		{"abort fails", mappedtest.Rule{Op: mappedtest.OpRemove, Path: root + "/abort", Err: syscall.EIO}, false},
		{"lock", mappedtest.Rule{Op: mappedtest.OpClose, Path: root + "/lock", Err: syscall.EIO}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t)
			r.puts("a", 0, 20)
			r.dispatched()
			r.script.Add(c.rule)
			ctx, cancel := context.WithTimeout(r.ctx, patience)
			defer cancel()
			if err := r.s.Close(ctx); err == nil && !c.fine {
				t.Log("close reports nothing")
			} else if errors.Is(err, context.DeadlineExceeded) {
				t.Fatalf("close hangs: %v", err)
			}
			r.start()
			r.numbered("a", 20)
			r.leaky = true
			r.close()
		})
	}
}

// A message that panics is under way in each actor when Close comes.
func TestCloseWhileFailing(t *testing.T) {
	for round := range 6 {
		r := open(t)
		l := r.load()
		l.more(10)
		var wait sync.WaitGroup
		for _, name := range []string{appendName, "dispatch", "queues-0", "index", "checkpoint", "retention", flusherName} {
			wait.Go(func() {
				r.breaker.deeds.Store(name, func() { panic("killed") })
				_ = r.s.Poke(name) // Close may have been faster
			})
		}
		if round%2 == 0 {
			wait.Wait()
		}
		ctx, cancel := context.WithTimeout(r.ctx, patience)
		if err := r.s.Close(ctx); errors.Is(err, context.DeadlineExceeded) {
			t.Fatalf("close hangs: %v", err)
		}
		cancel()
		l.stop()
		wait.Wait()
		r.start()
		l.check()
		r.close()
	}
}

func TestCloseBeforeOpen(t *testing.T) {
	t.Run("never spawned", func(t *testing.T) {
		_, s := Props(small(mappedtest.NewFS()))
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	t.Run("spawned afterwards", func(t *testing.T) {
		system := newSystem(DefaultOptions("/").Logger)
		defer system.Shutdown()
		disk := mappedtest.NewFS()
		props, s := Props(small(disk))
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		pid := system.Root.Spawn(props)
		eventually(t, "it is gone", func() bool { _, there := system.ProcessRegistry.Get(pid); return !there })
		if err := s.Ready(context.Background()); !errors.Is(err, ErrClosed) {
			t.Errorf("ready: %v", err)
		}
		if _, err := disk.Stat(root); err == nil {
			t.Error("it has touched the disk")
		}
	})
	t.Run("while opening", func(t *testing.T) {
		system := newSystem(DefaultOptions("/").Logger)
		defer system.Shutdown()
		inside, gate := make(chan struct{}), make(chan struct{})
		script := mappedtest.NewScript(mappedtest.NewFS(), mappedtest.Rule{Op: mappedtest.OpLock, Before: func() { close(inside); <-gate }})
		props, s := Props(small(script))
		pid := system.Root.Spawn(props)
		<-inside
		if _, err := s.Put(context.Background(), message("a", 0, "x")); !errors.Is(err, ErrNotReady) {
			t.Errorf("put: %v", err)
		}
		closed := make(chan error, 1)
		go func() { closed <- s.Close(context.Background()) }()
		close(gate)
		if err := <-closed; err != nil {
			t.Errorf("close: %v", err)
		}
		_, there := system.ProcessRegistry.Get(pid)
		if there {
			t.Error("the actor is still there")
		}
		if err := s.Ready(context.Background()); !errors.Is(err, ErrClosed) {
			t.Errorf("ready: %v", err)
		}
		free, err := Open(context.Background(), small(script))
		if err != nil {
			t.Fatalf("the lock is not free: %v", err)
		}
		if err := free.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// F11: a second store on the directory is refused and changes nothing.
func TestOpenTwice(t *testing.T) {
	r := open(t)
	r.puts("a", 0, 3)
	_, err := Open(r.ctx, small(r.disk))
	var locked *checkpoint.LockedError
	if !errors.As(err, &locked) || !errors.Is(err, mapped.ErrLocked) {
		t.Fatalf("second open: %v", err)
	}
	if !r.aborted() {
		t.Error("the second open took the abort marker away")
	}
	r.puts("a", 3, 5)
	r.numbered("a", 5)
	r.reopen()
	r.numbered("a", 5)
	r.close()
}

// An open that fails leaves nothing behind and can be tried again.
func TestOpenFails(t *testing.T) {
	r := open(t)
	r.puts("a", 0, 30)
	r.close()
	for _, op := range []mappedtest.Op{mappedtest.OpOpen, mappedtest.OpMap, mappedtest.OpReadDir, mappedtest.OpLock, mappedtest.OpSyncDir} {
		for at := 1; at < 4; at++ {
			for _, panics := range []bool{false, true} {
				rule := mappedtest.Rule{Op: op, At: at, Err: syscall.EIO}
				if panics {
					rule.Before = func() { panic("opening") }
				}
				script := mappedtest.NewScript(r.disk, rule)
				s, err := Open(r.ctx, small(script))
				if err == nil {
					err = s.Close(r.ctx)
				}
				if err != nil && strings.Contains(err.Error(), "is not open yet") {
					t.Errorf("%v %d: %v", op, at, err)
				}
				if held, err := checkpoint.IsLocked(r.disk, r.layout().LockFile()); held || err != nil {
					t.Fatalf("%v %d, panics %v: the lock is held: %v %v", op, at, panics, held, err)
				}
			}
		}
	}
	ended, cancel := context.WithCancel(r.ctx)
	cancel()
	if s, err := Open(ended, small(r.disk)); err == nil { // it was faster than the look at ctx
		_ = s.Close(r.ctx)
	} else if !errors.Is(err, context.Canceled) {
		t.Errorf("open without time: %v", err)
	}
	r.start()
	r.numbered("a", 30)
	r.leaky = true
	r.close()
}

// Two stores in one system do not see each other.
func TestTwoStores(t *testing.T) {
	system := newSystem(DefaultOptions("/").Logger)
	defer system.Shutdown()
	ctx := context.Background()
	var stores []*Store
	broken := &breaker{}
	for i := range 2 {
		o := small(mappedtest.NewFS())
		o.RestartBudget = 1000
		if i == 0 {
			o.Faults = broken
		}
		s, err := Spawn(ctx, system.Root, fmt.Sprint("store-", i), o)
		if err != nil {
			t.Fatal(err)
		}
		stores = append(stores, s)
	}
	if _, err := Spawn(ctx, system.Root, "store-0", small(mappedtest.NewFS())); err == nil {
		t.Error("two stores of one name")
	}
	var wait sync.WaitGroup
	var end atomic.Bool
	for _, s := range stores {
		for range 2 {
			wait.Go(func() {
				for !end.Load() {
					if _, err := s.Put(ctx, message("a", 0, "x")); err != nil && s == stores[1] {
						t.Errorf("the other store: %v", err)
						return
					}
				}
			})
		}
	}
	for range 20 {
		broken.deeds.Store(appendName, func() { panic("killed") })
		if err := stores[0].Poke(appendName); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Millisecond)
	}
	end.Store(true)
	wait.Wait()
	if err := stores[0].Close(ctx); err != nil {
		t.Error(err)
	}
	if _, err := stores[1].Put(ctx, message("a", 0, "x")); err != nil {
		t.Errorf("after the other was closed: %v", err)
	}
	eventually(t, "nothing is in flight", func() bool { return stores[1].tree.Load().admission.inFlight.Load() == 0 })
	if err := stores[1].Close(ctx); err != nil {
		t.Error(err)
	}
}
