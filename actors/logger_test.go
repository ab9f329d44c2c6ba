package actors

import (
	"context"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// logs is a writer of the user's that harms whoever logs, while it is armed.
type logs struct {
	armed atomic.Bool
	lines atomic.Int64
	harm  func()
}

func (l *logs) Write(b []byte) (int, error) {
	if l.armed.Load() {
		l.lines.Add(1)
		l.harm()
	}
	return len(b), nil
}

var harms = map[string]func(){"panics": func() { panic("logger") }, "goexits": runtimeGoexit}

// A logger that panicked where an actor's failure is told of was the end of the
// process, or restarted the store; one that ended the goroutine ended an actor.
func TestLoggerThatPanics(t *testing.T) {
	for how, harm := range harms {
		for _, level := range []zerolog.Level{zerolog.DebugLevel, zerolog.ErrorLevel} {
			t.Run(how+" "+level.String(), func(t *testing.T) {
				virtual(t, func(t *testing.T) {
					l := &logs{harm: harm}
					r := open(t, func(o *Options) {
						o.Logger = zerolog.New(l).Level(level)
						o.RestartBudget, o.HangTimeout = 1000, time.Second
					})
					r.s.o.Events.Recovery = shield(func(RecoveryEvent) { panic("event") }, r.s.calls.onPanic)
					r.puts("a", 0, 1)
					l.armed.Store(true)
					r.s.o.Events.Recovery(RecoveryEvent{})
					names := []string{appendName, flusherName, dispatchName, "queues-0", indexName, checkName, allocatorName, retentionName, "reader-0"}
					for i, name := range names {
						r.kill(name)
						time.Sleep(5 * time.Second)
						r.puts("a", i+1, i+2)
						if r.told("restarted "+name) != 1 {
							t.Errorf("%s: %q", name, r.events)
						}
					}
					release := r.hold(retentionName) // which the watch logs
					time.Sleep(10 * time.Second)
					release()
					time.Sleep(time.Second)
					r.numbered("a", len(names)+1)
					if n := r.told("restarted " + storeName); n != 0 {
						t.Errorf("the store was restarted %d times", n)
					}
					if l.lines.Load() < int64(len(names)) {
						t.Errorf("%d lines", l.lines.Load())
					}
					r.close()
				})
			})
		}
	}
}

// recovering is a handler of a user's system that panics when an actor fails.
type recovering struct{ slog.Handler }

func (recovering) Enabled(context.Context, slog.Level) bool { return true }

func (recovering) Handle(_ context.Context, r slog.Record) error {
	if strings.Contains(r.Message, "Recovering") {
		panic("handler")
	}
	return nil
}

// The logger of the system that a store is spawned in may do so, too: the actor whose
// failure cannot be told of ends, and comes back.
func TestSystemsLoggerPanics(t *testing.T) {
	virtual(t, func(t *testing.T) {
		system := actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
			return slog.New(recovering{slog.DiscardHandler})
		}))
		defer system.Shutdown()
		r := open(t, func(o *Options) { o.RestartBudget = 1000 })
		r.close()
		var err error
		if r.s, err = Spawn(r.ctx, system.Root, "store", r.o); err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{appendName, flusherName, dispatchName, "queues-0", indexName, "reader-0"} {
			r.kill(name)
			time.Sleep(5 * time.Second)
			r.puts("a", i, i+1)
			if r.told("restarted "+name) != 1 {
				t.Errorf("%s: %q", name, r.events)
			}
		}
		r.numbered("a", 6)
		r.close()
	})
}

// A logger that ended the goroutine of an opening, because of a stray file, left Open
// waiting and the lock taken for good.
func TestOpeningThatIsEnded(t *testing.T) {
	disk := mappedtest.NewFS()
	r := &rig{t: t, disk: disk}
	r.start()
	r.puts("a", 0, 3)
	r.close()
	if f, err := disk.OpenFile(root+"/commitlog/stray", 0x42, 0o644); err != nil {
		t.Fatal(err)
	} else if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for how, harm := range harms {
		l := &logs{harm: harm}
		l.armed.Store(true)
		r.start(func(o *Options) { o.Logger = zerolog.New(l) })
		if l.lines.Load() == 0 {
			t.Errorf("%s: nothing was logged", how)
		}
		r.numbered("a", 3)
		r.close()
	}
}

// The same of a disk that ends the goroutine, wherever it does: the lock is given back.
func TestOpeningEndedByTheDisk(t *testing.T) {
	r := open(t)
	r.puts("a", 0, 3)
	r.close()
	r.leaky = true // what the call was about stays open
	var ended atomic.Int64
	for at := 1; at < 400; at += 7 {
		o := small(mappedtest.NewScript(r.disk, mappedtest.Rule{At: at, Before: func() { ended.Add(1); runtimeGoexit() }}))
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		s, err := Open(ctx, o)
		if ctx.Err() != nil {
			t.Fatalf("open hangs when call %d ends its goroutine", at)
		}
		cancel()
		if err == nil { // no call of the opening
			_ = s.Close(context.Background())
			break
		}
		if held, err := checkpoint.IsLocked(r.disk, r.layout().LockFile()); held || err != nil {
			t.Fatalf("the lock behind call %d: %v %v", at, held, err)
		}
	}
	if ended := ended.Load(); ended < 5 {
		t.Errorf("%d openings were ended", ended)
	}
	r.start()
	r.numbered("a", 3)
	r.close()
}
