package actors

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

// seam lets the next step of an actor do something.
type seam struct {
	mu    sync.Mutex
	hooks map[string]func()
}

func (s *seam) Step(actor string, m Step, done bool) {
	if m == StepStarted || done {
		return
	}
	s.mu.Lock()
	f := s.hooks[actor]
	delete(s.hooks, actor)
	s.mu.Unlock()
	if f != nil {
		f()
	}
}

func (s *seam) Signal(_ string, _ Step, send, _ func()) { send() }

// next sets what the actor's next step does, and lets it come to one.
func (s *seam) next(r *rig, name string, f func()) {
	s.mu.Lock()
	if s.hooks == nil {
		s.hooks = make(map[string]func())
	}
	s.hooks[name] = f
	s.mu.Unlock()
	if err := r.s.Poke(name); err != nil {
		r.t.Error(err)
	}
}

const hangLimit = 2 * time.Second

func watchHangs(f *seam) func(*Options) {
	return func(o *Options) {
		o.Faults, o.HangTimeout, o.CleanResourceInterval = f, hangLimit, time.Second
		o.RestartBudget = 1000
	}
}

// call is something that a user of the store waits for.
type call struct {
	name string
	do   func(ctx context.Context) error
	ok   atomic.Int64
	err  atomic.Pointer[error] // the last one
}

// calls are all ways to wait for a store.
func (r *rig) calls() []*call {
	s := r.s
	ask := func(ctx context.Context, message any) (any, error) {
		end, _ := ctx.Deadline()
		return s.system.Root.RequestFuture(s.PID(), message, time.Until(end)).Result()
	}
	var asyncs sync.WaitGroup
	r.t.Cleanup(asyncs.Wait) // each is answered, if only after the end
	return []*call{
		{name: "put", do: func(ctx context.Context) error { _, err := s.Put(ctx, message("a", 0, "x")); return err }},
		{name: "batch", do: func(ctx context.Context) error {
			_, err := s.PutBatch(ctx, []record.Message{*message("a", 1, "x"), *message("a", 1, "y")})
			return err
		}},
		{name: "async", do: func(ctx context.Context) error {
			done := make(chan error, 1)
			asyncs.Add(1)
			if err := s.PutAsync(message("a", 2, "x"), func(p flusher.PutResult) { done <- p.Err; asyncs.Done() }); err != nil {
				asyncs.Done()
				return err
			}
			select {
			case err := <-done:
				return err
			case <-ctx.Done():
				return ctx.Err()
			}
		}},
		{name: "Put", do: func(ctx context.Context) error {
			answer, err := ask(ctx, &Put{*message("a", 3, "x")})
			if err == nil {
				err = answer.(*PutReply).Result.Err
			}
			return err
		}},
		{name: "Get", do: func(ctx context.Context) error {
			answer, err := ask(ctx, &Get{reader.GetRequest{Topic: "a", QueueID: 9, MaxCount: 1}})
			if err == nil {
				err = answer.(*GetReply).Err
			}
			return err
		}},
		{name: "Query", do: func(ctx context.Context) error {
			answer, err := ask(ctx, &Query{reader.QueryRequest{Topic: "a", Key: "k-0", End: 1 << 62}})
			if err == nil {
				err = answer.(*QueryReply).Err
			}
			return err
		}},
		{name: "wait", do: func(ctx context.Context) error {
			n, err := s.Notifier()
			if err != nil {
				return err
			}
			rd, err := s.Reader()
			if err != nil {
				return err
			}
			most, _ := rd.MaxOffset("a", 0)
			return n.Wait(ctx, "a", 0, most)
		}},
		{name: "flush", do: s.Flush},
		{name: "dispatched", do: s.Dispatched},
		{name: "delete", do: func(ctx context.Context) error { return s.DeleteTopic(ctx, "none") }},
	}
}

// deadline is how long a call may take, and late how much longer it may be: what
// a caller waits for the end of the use of a message.
const (
	deadline = 3 * time.Second
	late     = 1100 * time.Millisecond
)

// keepCalling calls again and again until end; each call is back in time.
func keepCalling(r *rig, calls []*call, end *atomic.Bool) *sync.WaitGroup {
	var wait sync.WaitGroup
	for _, c := range calls {
		wait.Go(func() {
			for !end.Load() {
				ctx, cancel := context.WithTimeout(r.ctx, deadline)
				began := time.Now()
				err := c.do(ctx)
				cancel()
				if took := time.Since(began); took > deadline+late {
					r.t.Errorf("%s took %v: %v", c.name, took, err)
				}
				if err == nil {
					c.ok.Add(1)
				} else {
					c.err.Store(&err)
				}
				time.Sleep(100 * time.Millisecond)
			}
		})
	}
	return &wait
}

// succeeds checks that each call but those named works within the time.
func succeeds(t *testing.T, calls []*call, within time.Duration, but string) {
	t.Helper()
	before := make([]int64, len(calls))
	for i, c := range calls {
		before[i] = c.ok.Load()
	}
	time.Sleep(within)
	for i, c := range calls {
		if strings.Contains(but, c.name+",") {
			continue
		}
		if c.ok.Load() == before[i] {
			var err error
			if e := c.err.Load(); e != nil {
				err = *e
			}
			t.Errorf("%s does not work: %v", c.name, err)
		}
	}
}

// puts and after are the calls that need the log written, and those that need
// all of it in queues and index.
const (
	putCalls   = "put,batch,async,Put,wait,"
	afterCalls = "dispatched,delete,"
)

// kinds are the actors of a small store, and what does not work while one hangs.
var kinds = map[string]string{
	appendName: putCalls + afterCalls, flusherName: putCalls + afterCalls + "flush,",
	dispatchName: "", "queues-0": afterCalls + "wait,", "queues-1": afterCalls + "wait,",
	indexName: afterCalls + "Query,", allocatorName: "", checkName: "", retentionName: "", "reader-0": "", "reader-1": "",
}

// Whatever happens to whichever actor, every call of the store is back by its
// deadline, and all of them work again afterwards (A1).
func TestNothingIsLeftHanging(t *testing.T) {
	ways := map[string]func(r *rig, f *seam, name string){
		"panic":  func(r *rig, f *seam, name string) { f.next(r, name, func() { panic("killed") }) },
		"stop":   func(r *rig, _ *seam, name string) { r.s.system.Root.Stop(r.pid(name)) },
		"poison": func(r *rig, _ *seam, name string) { r.s.system.Root.Poison(r.pid(name)) },
		"goes twice": func(r *rig, f *seam, name string) {
			r.s.system.Root.Stop(r.pid(name))
			f.next(r, name, func() { panic("killed") })
			time.Sleep(20 * time.Millisecond)
			r.s.system.Root.Stop(r.pid(name))
		},
	}
	for way, do := range ways {
		for name := range kinds {
			t.Run(way+"/"+name, func(t *testing.T) {
				bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
					virtual(t, func(t *testing.T) {
						f := &seam{}
						r := open(t, flush, watchHangs(f))
						calls, end := r.calls(), &atomic.Bool{}
						wait := keepCalling(r, calls, end)
						succeeds(t, calls, time.Second, "")
						for range 2 {
							do(r, f, name)
							succeeds(t, calls, 2*time.Second, "")
						}
						end.Store(true)
						wait.Wait()
						if r.told("restarted "+name) < 2 {
							t.Errorf("nothing was told of %s: %q", name, r.events)
						}
						r.answered()
						r.close()
					})
				})
			})
		}
	}
}

// A hung actor is told of; every call is back by its deadline meanwhile, and
// what can work without it works. When it moves again all is as before.
func TestHungActor(t *testing.T) {
	for name, blocked := range kinds {
		t.Run(name, func(t *testing.T) {
			bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
				virtual(t, func(t *testing.T) {
					f, gate := &seam{}, make(chan struct{})
					r := open(t, flush, watchHangs(f))
					calls, end := r.calls(), &atomic.Bool{}
					wait := keepCalling(r, calls, end)
					succeeds(t, calls, time.Second, "")
					f.next(r, name, func() { <-gate })
					time.Sleep(2 * hangLimit)
					if r.told("hung "+name) != 1 {
						t.Errorf("not told: %q", r.events)
					}
					succeeds(t, calls, 3*deadline, blocked)
					state, err := r.s.State()
					replaced := name == dispatchName || strings.HasPrefix(name, readerPrefix)
					if got := len(state.Hung) == 1 && state.Hung[0].Actor == name; got == replaced || err != nil {
						t.Errorf("%+v %v", state.Hung, err)
					}
					close(gate)
					time.Sleep(time.Second)
					succeeds(t, calls, 4*time.Second, "")
					if r.told("moves "+name) != 1 {
						t.Errorf("its end was not told: %q", r.events)
					}
					end.Store(true)
					wait.Wait()
					r.reopen(flush)
					if r.told("opened clean=true") != 2 {
						t.Errorf("%q", r.events)
					}
					r.close()
				})
			})
		})
	}
}

// A Close without a deadline ends though an actor hangs, names it, and leaves
// the store as after a crash; when the actor moves again the store ends.
func TestCloseWhileHung(t *testing.T) {
	for name := range kinds {
		t.Run(name, func(t *testing.T) {
			bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
				virtual(t, func(t *testing.T) {
					f, gate := &seam{}, make(chan struct{})
					r := open(t, flush, watchHangs(f))
					calls, end := r.calls(), &atomic.Bool{}
					wait := keepCalling(r, calls, end)
					succeeds(t, calls, time.Second, "")
					f.next(r, name, func() { <-gate })
					time.Sleep(hangLimit / 2)
					began := time.Now()
					err := r.s.Close(context.Background())
					var hung *HungError
					if !errors.As(err, &hung) || !strings.Contains(err.Error(), name) {
						t.Errorf("close: %v", err)
					}
					if took := time.Since(began); took > deadline+late+4*hangLimit {
						t.Errorf("close took %v", took)
					}
					if !r.aborted() {
						t.Error("the abort marker is gone")
					}
					time.Sleep(deadline + late)
					end.Store(true)
					wait.Wait()
					close(gate)
					if err := r.s.Close(context.Background()); err != nil {
						t.Errorf("close when it moves again: %v", err)
					}
					r.start(flush)
					if r.told("opened clean=true") != 2 {
						t.Errorf("%q", r.events)
					}
					r.close()
				})
			})
		})
	}
}

func (r *rig) listenHangs(e *Events) {
	e.ActorHung = func(h HungEvent) { r.tell("hung " + h.Actor) }
	e.DiskSlow = func(h HungEvent) { r.tell("slow " + h.Actor) }
	e.ActorMoves = func(h HungEvent) { r.tell("moves " + h.Actor) }
}
