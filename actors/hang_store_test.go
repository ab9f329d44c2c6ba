package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

// holdStore lets the store actor hang.
func (r *rig) holdStore() (release func()) {
	gate := make(chan struct{})
	inside := make(chan struct{})
	r.o.Faults.(*seam).next(r, storeName, func() { close(inside); <-gate })
	<-inside
	return func() { close(gate) }
}

// The supervisor itself may hang: it is noticed from outside, and what does not
// pass through it works on.
func TestHungStore(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, watchHangs(&seam{}))
		release := r.holdStore()
		time.Sleep(2 * hangLimit)
		if r.told("hung store") != 1 {
			t.Errorf("%q", r.events)
		}
		r.puts("a", 0, 3)
		r.numbered("a", 3)
		var hung *HungError
		if err := r.s.Close(context.Background()); !errors.As(err, &hung) || !strings.Contains(err.Error(), storeName) {
			t.Errorf("close: %v", err)
		}
		release()
		if err := r.s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		r.start()
		r.numbered("a", 3)
		r.close()
	})
}

// A sync that takes long is a slow disk and no hang: it is told of as such, and
// whoever closes without a deadline does not wait for it for ever.
func TestSlowDisk(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, syncFlush, watchHangs(&seam{}))
		r.puts("a", 0, 1)
		gate := make(chan struct{})
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Before: func() { <-gate }})
		p, err := r.s.Begin(message("a", 0, "1"))
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * hangLimit)
		if r.told("slow flusher") != 1 || r.told("hung flusher") != 0 {
			t.Errorf("%q", r.events)
		}
		ctx, cancel := context.WithTimeout(r.ctx, time.Second)
		defer cancel()
		if _, err := p.Wait(ctx); !errors.Is(err, flusher.ErrOutcomeUnknown) || errors.Is(err, flusher.ErrBodyInUse) {
			t.Errorf("the put that waits: %v", err)
		}
		if err := r.s.Close(context.Background()); !errors.Is(err, ErrHung) || !strings.Contains(err.Error(), "a sync of") {
			t.Errorf("close: %v", err)
		}
		close(gate)
		if err := r.s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		r.start(syncFlush)
		r.numbered("a", 2)
		r.close()
	})
}

// While append or flusher hangs puts are taken as long as there is room, and
// refused as not available beyond it.
func TestFullWhileHung(t *testing.T) {
	for _, name := range []string{appendName, flusherName} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				f, gate := &seam{}, make(chan struct{})
				r := open(t, syncFlush, watchHangs(f), func(o *Options) { o.MaxBytesInFlight = 2000 })
				r.puts("a", 0, 1)
				f.next(r, name, func() { <-gate })
				begun := 0
				for {
					p, err := r.s.begin(message("a", 0, fmt.Sprint(begun+1)), true)
					if err != nil {
						if statusOf(err) != flusher.OSPageCacheBusy {
							t.Errorf("at first: %v", err)
						}
						break
					}
					begun++
					_ = p
				}
				time.Sleep(2 * hangLimit)
				_, err := r.s.Begin(message("a", 0, "x"))
				if statusOf(err) != flusher.ServiceNotAvailable || !errors.Is(err, ErrHung) || !errors.Is(err, ErrBusy) {
					t.Errorf("when it hangs: %v", err)
				}
				close(gate)
				time.Sleep(hangLimit)
				r.numbered("a", begun+1)
				r.close()
			})
		})
	}
}

// A reader that hangs owes an answer: its asker gets one when it is replaced.
func TestAskerOfHungReader(t *testing.T) {
	virtual(t, func(t *testing.T) {
		f, gate := &seam{}, make(chan struct{})
		r := open(t, watchHangs(f), func(o *Options) { o.Readers = 1 })
		r.puts("a", 0, 1)
		r.dispatched()
		f.mu.Lock()
		f.hooks = map[string]func(){"reader-0": func() { <-gate }}
		f.mu.Unlock()
		get := func() *actor.Future {
			return r.s.system.Root.RequestFuture(r.s.PID(), &Get{reader.GetRequest{Topic: "a", MaxCount: 1}}, time.Hour)
		}
		first, second := get(), get()
		if answer, err := first.Result(); err != nil || !errors.Is(answer.(*GetReply).Err, ErrRestarting) {
			t.Errorf("in hand: %v %v", answer, err)
		}
		if answer, err := second.Result(); err != nil || answer.(*GetReply).Err != nil {
			t.Errorf("behind it: %v %v", answer, err)
		}
		close(gate)
		time.Sleep(time.Second)
		if _, there := r.s.system.ProcessRegistry.Get(r.pid("reader-0")); there {
			t.Error("the one that hung is still there")
		}
		r.close()
	})
}

// deaf loses the signals of one actor.
type deaf struct {
	seam
	name string
	on   bool
}

func (d *deaf) Signal(name string, m Step, send, lose func()) {
	d.mu.Lock()
	lost := d.on && name == d.name
	d.mu.Unlock()
	if lost {
		lose()
		return
	}
	send()
}

func (d *deaf) set(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.on = on
}

// An actor whose signal was lost has nothing in hand and yet owes something: it
// is got going again.
func TestLostSignal(t *testing.T) {
	for _, name := range []string{dispatchName, flusherName, checkName, retentionName} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				d := &deaf{name: name}
				r := open(t, watchHangs(&d.seam), func(o *Options) { o.Faults = d })
				r.puts("a", 0, 1)
				time.Sleep(time.Second)
				d.set(true)
				r.puts("a", 1, 2)
				time.Sleep(4 * hangLimit)
				if r.told("hung "+name) == 0 {
					t.Errorf("%q", r.events)
				}
				log := r.tree().log()
				if log.Dispatched() != log.Appended() || log.Flushed() != log.Appended() {
					t.Errorf("dispatched %d, flushed %d, appended %d", log.Dispatched(), log.Flushed(), log.Appended())
				}
				d.set(false)
				r.close()
			})
		})
	}
}

// Recovery may find that the end of the log is in doubt. That is told, and read.
func TestRecoveredReadOnly(t *testing.T) {
	r := open(t, syncFlush)
	for i := range 200 {
		r.put("a", 0, fmt.Sprint(i, strings.Repeat("x", 1000)))
	}
	r.dispatched()
	r.close()
	r.lose("commitlog", 2)
	r.start(syncFlush)
	if r.told("read-only") != 1 || r.told("flush failed") != 0 {
		t.Errorf("%q", r.events)
	}
	if _, err := r.s.Put(r.ctx, message("a", 0, "x")); statusOf(err) != flusher.ServiceNotAvailable {
		t.Errorf("put: %v", err)
	}
	rd, err := r.s.Reader()
	if err != nil {
		t.Fatal(err)
	}
	var got reader.GetResult
	if err := rd.Get(r.ctx, reader.GetRequest{Topic: "a", MaxCount: 10}, &got); err != nil || len(got.Messages) != 10 {
		t.Errorf("%d messages can be read: %v", len(got.Messages), err)
	}
}

// A store at rest hardly wakes: its tickers and the watch, all of them slow.
func TestIdleHardlyWakes(t *testing.T) {
	for name, c := range map[string]struct {
		flush func(*Options)
		most  int64 // turns of all actors in a minute
	}{
		"async": {asyncFlush, 120 + 60 + 6}, // flusher, checkpoint, retention
		"sync":  {syncFlush, 60 + 6},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r := open(t, c.flush, func(o *Options) { o.FlushIntervalCommitLog = 500 * time.Millisecond })
				r.puts("a", 0, 10)
				r.dispatched()
				time.Sleep(time.Minute)
				turns := func() (sum int64) {
					w := r.tree().watch
					w.mu.Lock()
					defer w.mu.Unlock()
					for _, e := range w.list {
						n, _ := e.mailbox.load()
						sum += n
					}
					return sum
				}
				before, calls := turns(), r.script.Calls()
				time.Sleep(time.Minute)
				if n := turns() - before; n > c.most || n == 0 {
					t.Errorf("%d turns in a minute at rest, want at most %d", n, c.most)
				}
				if n := r.script.Calls() - calls; n > 2*6 { // retention looks at the disks
					t.Errorf("%d calls to the disk in a minute at rest", n)
				}
				r.close()
			})
		})
	}
}
