package actors

import (
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

// asker sends many messages to a store and sorts the answers.
type asker struct {
	r          *rig
	well, busy atomic.Int64
	sent       int64
	pid        *actor.PID
}

func (r *rig) asker(errOf func(answer any) error) *asker {
	a := &asker{r: r}
	a.pid = r.s.system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		switch m := c.Message().(type) {
		case *PutReply, *GetReply, *DoneReply:
			if err := errOf(m); err == nil {
				a.well.Add(1)
			} else if errors.Is(err, ErrBusy) {
				a.busy.Add(1)
			} else {
				r.t.Errorf("answered: %v", err)
			}
		}
	}))
	return a
}

func (a *asker) ask(n int, message func() any) {
	for range n {
		a.r.s.system.Root.RequestWithCustomSender(a.r.s.PID(), message(), a.pid)
		if a.sent++; a.sent%500 == 0 {
			synctest.Wait() // the store has passed them on, if it can
		}
	}
}

// want checks how many have been answered so far; well < 0 is all the others.
func (a *asker) want(well, busy int64) {
	a.r.t.Helper()
	time.Sleep(time.Second)
	synctest.Wait()
	if well < 0 {
		well = a.sent - busy
	}
	if a.well.Load() != well || a.busy.Load() != busy {
		a.r.t.Errorf("%d answered well and %d busy, want %d and %d", a.well.Load(), a.busy.Load(), well, busy)
	}
}

// Messages for a store actor that does not come to them, or for its readers, were
// kept without bound, and so were those that wait for a flush. Beyond what may wait
// they are refused at once; the others are answered when their time comes.
func TestFloodOfMessages(t *testing.T) {
	const limit = 100_000
	body := string(make([]byte, 1000))
	puts := func() any { return &Put{*message("a", 0, body)} }
	size := weight(&puts().(*Put).Message)
	for name, c := range map[string]struct {
		hold    []string
		message func() any
		err     func(answer any) error
		room    int64 // so many wait at most
	}{
		"puts": {[]string{storeName}, puts, func(a any) error {
			if p := a.(*PutReply).Result; p.Err != nil && p.Status != flusher.OSPageCacheBusy {
				t.Errorf("%+v", p)
			}
			return a.(*PutReply).Result.Err
		}, limit / size},
		"look-ups": {[]string{"reader-0", "reader-1"}, func() any { return &Get{reader.GetRequest{Topic: "a", MaxCount: 1}} },
			func(a any) error { return a.(*GetReply).Err }, 2 * mostAsks},
		"flushes": {[]string{flusherName}, func() any { return Flush{} }, func(a any) error { return a.(*DoneReply).Err }, mostSlow},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r := open(t, func(o *Options) { o.MaxBytesInFlight = limit; o.HangTimeout = 0 })
				r.puts("a", 0, 1)
				r.dispatched()
				var release []func()
				for _, name := range c.hold {
					release = append(release, r.hold(name))
				}
				a := r.asker(c.err)
				a.ask(int(c.room), c.message)
				a.want(0, 0)
				a.ask(500, c.message)
				a.want(0, 500)
				for _, f := range release {
					f()
				}
				a.want(-1, 500)
				a.ask(1, c.message) // there is room again
				a.want(-1, 500)
				stopAll(t, r.s.system, a.pid)
				r.close()
			})
		})
	}
}

// What the store tells itself is taken, however many others wait.
func TestFloodKeepsOutNoneOfOurs(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, func(o *Options) { o.MaxBytesInFlight = 5000; o.HangTimeout = 0 })
		release := r.hold(storeName)
		a := r.asker(func(answer any) error { return answer.(*PutReply).Result.Err })
		a.ask(1000, func() any { return &Put{*message("a", 0, "x")} })
		r.kill(indexName) // by way of the store
		release()
		time.Sleep(time.Second)
		if r.told("restarted index") != 1 {
			t.Errorf("%q", r.events)
		}
		r.puts("b", 0, 3)
		stopAll(t, r.s.system, a.pid)
		r.close()
	})
}

// Callbacks that do not return were kept without bound, with all that follow them.
// Puts of others go on beside them.
func TestCallbacksThatDoNotReturn(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, func(o *Options) { o.MaxBytesInFlight = 20_000 })
		gate := make(chan struct{})
		var returned atomic.Int64
		begun := int64(0)
		var err error
		for ; err == nil && begun < 1000; begun++ {
			err = r.s.PutAsync(message("a", 0, "x"), func(flusher.PutResult) { <-gate; returned.Add(1) })
			time.Sleep(time.Millisecond)
		}
		if begun--; statusOf(err) != flusher.OSPageCacheBusy || !errors.Is(err, ErrBusy) || begun < 100 {
			t.Fatalf("after %d: %v", begun, err)
		}
		r.puts("b", 0, 10)
		r.answered()
		close(gate)
		time.Sleep(time.Second)
		if returned.Load() != begun {
			t.Errorf("%d callbacks of %d", returned.Load(), begun)
		}
		done := make(chan error, 1)
		if err := r.s.PutAsync(message("a", 0, "x"), func(p flusher.PutResult) { done <- p.Err }); err != nil || <-done != nil {
			t.Errorf("there is room again: %v", err)
		}
		r.close()
	})
}

// A callback may call the store: put again, many deep, delete a topic, close it.
func TestCallbacksThatCallTheStore(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		virtual(t, func(t *testing.T) {
			r := open(t, flush)
			done := make(chan error, 1)
			depth := 0
			var again func(flusher.PutResult)
			again = func(p flusher.PutResult) {
				depth++
				switch {
				case p.Err != nil:
					done <- p.Err
				case depth < 500:
					if err := r.s.PutAsync(message("a", 0, "x"), again); err != nil {
						done <- err
					}
				default:
					done <- errors.Join(r.s.Flush(r.ctx), r.s.Dispatched(r.ctx), r.s.DeleteTopic(r.ctx, "a"), r.s.Close(r.ctx))
				}
			}
			if err := r.s.PutAsync(message("a", 0, "x"), again); err != nil {
				t.Fatal(err)
			}
			select {
			case err := <-done:
				if err != nil || depth != 500 {
					t.Errorf("%d deep: %v", depth, err)
				}
			case <-time.After(time.Hour):
				t.Fatal("not answered")
			}
			r.close()
		})
	})
}
