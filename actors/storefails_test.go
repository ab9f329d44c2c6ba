package actors

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// storeFailure lets the store actor panic at the messages of a list, in order.
type storeFailure struct {
	seam
	at []Step
}

func (f *storeFailure) Step(name string, m Step, done bool) {
	f.mu.Lock()
	hit := name == storeName && !done && len(f.at) > 0 && f.at[0] == m
	if hit {
		f.at = f.at[1:]
	}
	f.mu.Unlock()
	if hit {
		panic("killed")
	}
	f.seam.Step(name, m, done)
}

// next lets it fail, and come to messages of each kind.
func (f *storeFailure) next(r *rig, at ...Step) {
	r.t.Helper()
	f.mu.Lock()
	f.at = at
	f.mu.Unlock()
	for _, name := range []string{storeName, checkName} { // the second by way of the store
		if err := r.s.Poke(name); err != nil && !errors.Is(err, ErrNotReady) && !errors.Is(err, ErrRestarting) {
			r.t.Error(err)
		}
	}
}

func (f *storeFailure) left() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.at)
}

// The supervisor itself fails, whatever it has in hand: all is opened anew, every
// call is back by its deadline, and all of them work again.
func TestNothingHangsWhenTheStoreFails(t *testing.T) {
	for _, at := range [][]Step{{StepPoke}, {StepAsk}, {StepOther}, {StepPoke, StepStarted}, {StepPoke, StepOther}, {StepAsk, StepAsk, StepAsk}} {
		t.Run(fmt.Sprint(at), func(t *testing.T) {
			bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
				virtual(t, func(t *testing.T) {
					f := &storeFailure{}
					r := open(t, flush, watchHangs(&f.seam), func(o *Options) { o.Faults = f })
					calls, end := r.calls(), &atomic.Bool{}
					wait := keepCalling(r, calls, end)
					succeeds(t, calls, time.Second, "")
					for range 3 {
						f.next(r, at...)
						time.Sleep(time.Second)
						succeeds(t, calls, 4*time.Second, "")
					}
					end.Store(true)
					wait.Wait()
					if n := r.told("restarted store"); n != 3*len(at) || f.left() > 0 {
						t.Errorf("told %d times: %q", n, r.events)
					}
					r.answered()
					r.close()
				})
			})
		})
	}
}

// What was answered before, while and after the supervisor failed is there, in
// order, once.
func TestNothingIsLostWhenTheStoreFails(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		l := r.load()
		for i := range 5 {
			l.more(50)
			r.kill(storeName)
			eventually(t, "it has failed", func() bool { return r.told("restarted store") == i+1 })
			eventually(t, "it is open again", func() bool { _, err := r.s.State(); return err == nil })
		}
		l.more(50)
		l.stop()
		l.check()
		r.reopen(flush)
		l.check()
		r.close()
	})
}

// A supervisor that fails more often than its parent allows ends the store: it has
// answered all puts, written everything down, and says why.
func TestStoreThatFailsTooOftenEnds(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		virtual(t, func(t *testing.T) {
			var closed atomic.Pointer[error]
			r := open(t, flush, func(o *Options) {
				o.Events.Closed = func(err error) { closed.Store(&err) }
			})
			calls, end := r.calls(), &atomic.Bool{}
			wait := keepCalling(r, calls, end)
			r.puts("b", 0, 20)
			for n := 0; closed.Load() == nil && n < 600; n++ { // it comes back later each time
				if _, err := r.s.State(); err == nil {
					r.kill(storeName)
				}
				time.Sleep(50 * time.Millisecond)
			}
			if n := r.told("restarted store"); n != 11 { // and ten times it came back
				t.Errorf("it has failed %d times", n)
			}
			time.Sleep(deadline + late)
			end.Store(true)
			wait.Wait()
			if err := closed.Load(); err == nil || *err == nil || !strings.Contains((*err).Error(), "killed") {
				t.Fatalf("nobody was told why: %v", err)
			}
			for _, c := range calls {
				ctx, cancel := context.WithTimeout(r.ctx, time.Second)
				if err := c.do(ctx); err == nil || errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("%s: %v", c.name, err)
				}
				cancel()
			}
			if _, err := r.s.State(); !errors.Is(err, ErrClosed) || !strings.Contains(err.Error(), "killed") {
				t.Errorf("state: %v", err)
			}
			if held, err := checkpoint.IsLocked(r.disk, r.layout().LockFile()); held || err != nil {
				t.Errorf("the lock: %v %v", held, err)
			}
			r.close() // and finds nothing left, nothing open and no abort marker
			r.start(flush)
			if r.told("opened clean=true") < 2 {
				t.Errorf("%q", r.events)
			}
			r.numbered("b", 20)
			r.close()
		})
	})
}

// A store that cannot be opened again after its supervisor has failed ends, and
// says why; nobody waits for it.
func TestStoreThatDoesNotComeBackEnds(t *testing.T) {
	virtual(t, func(t *testing.T) {
		var closed atomic.Pointer[error]
		r := open(t, func(o *Options) { o.Events.Closed = func(err error) { closed.Store(&err) } })
		calls, end := r.calls(), &atomic.Bool{}
		wait := keepCalling(r, calls, end)
		r.puts("b", 0, 20)
		r.dispatched()
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpReadDir, Path: root + "/commitlog", Forever: true, Err: fs.ErrPermission})
		r.kill(storeName)
		time.Sleep(deadline + late)
		end.Store(true)
		wait.Wait()
		if err := closed.Load(); err == nil || !errors.Is(*err, fs.ErrPermission) {
			t.Fatalf("nobody was told why: %v", err)
		}
		if _, err := r.s.Put(r.ctx, message("a", 0, "x")); !errors.Is(err, ErrClosed) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("put: %v", err)
		}
		r.script.Clear()
		_ = r.s.Close(r.ctx)
		r.start()
		r.numbered("b", 20)
		r.close()
	})
}

// DeleteTopic is answered when the supervisor fails in the middle of it, the topic
// can be put to again, and it begins anew or is as it was.
func TestDeleteTopicWhileTheStoreFails(t *testing.T) {
	for _, hold := range []string{appendName, dispatchName, "queues-0"} {
		t.Run(hold, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r := open(t)
				r.puts("a", 0, 5)
				r.dispatched()
				release := r.hold(hold)
				done := make(chan error, 1)
				go func() { done <- r.s.DeleteTopic(context.Background(), "a") }()
				time.Sleep(100 * time.Millisecond)
				r.kill(storeName)
				time.Sleep(100 * time.Millisecond)
				release()
				select {
				case err := <-done:
					t.Logf("deleted: %v", err)
				case <-time.After(time.Minute):
					t.Fatal("not answered")
				}
				time.Sleep(time.Second)
				first := r.put("a", 0, "x").QueueOffset
				r.dispatched()
				if n := len(r.bodies("a", 0)); first != 0 && first != 5 || int64(n) != first+1 {
					t.Errorf("the next message has offset %d, and %d are there", first, n)
				}
				r.close()
			})
		})
	}
}

// Whoever had asked the store actor when it failed got no answer.
func TestAskerOfAFailedStore(t *testing.T) {
	virtual(t, func(t *testing.T) {
		f := &storeFailure{}
		r := open(t, func(o *Options) { o.Faults = f })
		r.puts("a", 0, 1)
		r.dispatched()
		for _, m := range []any{Put{*message("a", 0, "x")}, &PutBatch{}, Get{}, Query{}, Lookup{}, LookupID{}, OffsetByTime{}, MessageTime{}, Offsets{},
			Topics{}, DeleteTopic{"a"}, Flush{}, GetState{}} {
			f.mu.Lock()
			f.at = []Step{StepAsk}
			f.mu.Unlock()
			answer, err := r.s.system.Root.RequestFuture(r.s.PID(), m, time.Hour).Result()
			if err != nil {
				t.Fatalf("%T: %v", m, err)
			}
			text := fmt.Sprintf("%T %+v", answer, reflect.ValueOf(answer).Elem())
			if want := fmt.Sprintf("%T ", unserved(asked(m), nil)); !strings.HasPrefix(text, want) || !strings.Contains(text, ErrRestarting.Error()) {
				t.Errorf("%T is answered with %s", m, text)
			}
			time.Sleep(5 * time.Second) // its parent allows ten failures in ten seconds
		}
		r.puts("a", 1, 3)
		r.numbered("a", 3)
		r.close()
	})
}

// Whoever waits for queues that the disk does not take, while the supervisor fails,
// waits for a tree that will never come so far: he is told when it is gone.
func TestWaitersOfATreeThatIsGone(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t)
		r.puts("a", 0, 1)
		r.dispatched()
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpWrite, Path: "queuefile-*", Forever: true, Err: syscall.EIO})
		r.puts("a", 1, 3)
		done := make(chan error, 1)
		go func() { done <- r.s.Dispatched(context.Background()) }()
		time.Sleep(time.Second)
		r.kill(storeName)
		select {
		case err := <-done:
			if !errors.Is(err, ErrRestarting) {
				t.Errorf("dispatched: %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("not answered")
		}
		r.script.Clear()
		_ = r.s.Close(r.ctx) // it may be back, or not
		r.crash()
		r.numbered("a", 3)
		r.close()
	})
}

// A disk that is back after a second is not the end of a store that is just being
// opened anew: its parent tries again.
func TestStoreComesBackWithTheDisk(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t)
		r.puts("a", 0, 10)
		r.dispatched()
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpReadDir, Path: root + "/commitlog", Forever: true, Err: fs.ErrPermission})
		r.kill(storeName)
		time.Sleep(time.Second)
		if _, err := r.s.Put(r.ctx, message("a", 0, "x")); !errors.Is(err, ErrRestarting) {
			t.Errorf("meanwhile: %v", err)
		}
		r.script.Clear()
		time.Sleep(2 * time.Second)
		r.puts("a", 10, 20)
		r.numbered("a", 20)
		if n := r.told("restarted store"); n < 3 || n > 11 {
			t.Errorf("it has failed %d times", n)
		}
		r.close()
	})
}
