package actors

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"

	"github.com/actorstore/actorstore/flusher"
)

// mourners are subscribers of dead letters that harm whoever they run on.
var mourners = map[string]func(gate <-chan struct{}){
	"panics":  func(<-chan struct{}) { panic("subscriber") },
	"blocks":  func(gate <-chan struct{}) { <-gate },
	"goexits": func(<-chan struct{}) { runtimeGoexit() },
}

// mourned runs a store in a system where each dead letter is taken by a mourner.
func mourned(t *testing.T, run func(t *testing.T, r *rig), change ...func(*Options)) {
	for name, mourn := range mourners {
		t.Run(name, func(t *testing.T) {
			system, gate := newSystem(zerolog.Nop()), make(chan struct{})
			defer system.Shutdown()
			defer close(gate)
			subscription := system.EventStream.Subscribe(func(event any) {
				if _, ok := event.(*actor.DeadLetterEvent); ok {
					mourn(gate)
				}
			})
			defer system.EventStream.Unsubscribe(subscription)
			r := open(t, change...)
			r.close()
			var err error
			if r.s, err = Spawn(r.ctx, system.Root, "store", r.o); err != nil {
				t.Fatal(err)
			}
			run(t, r)
			r.close()
		})
	}
}

// A put that came to an append actor which was away was answered by a subscriber of
// dead letters, behind those of the user and on the caller's goroutine: one that
// panicked made Put panic, and the bytes stayed in flight for ever; one that blocked
// held the put beyond its deadline.
func TestDeadLettersAnswerNobody(t *testing.T) {
	mourned(t, func(t *testing.T, r *rig) {
		r.puts("a", 0, 3)
		release := r.hold(flusherName)
		r.kill(appendName)
		eventually(t, "append has gone", func() bool { return r.told("restarted append") == 1 && !r.here(appendName) })
		for name, call := range map[string]func(ctx context.Context) error{
			"put":    func(ctx context.Context) error { _, err := r.s.Put(ctx, message("a", 0, "x")); return err },
			"delete": func(ctx context.Context) error { return r.s.DeleteTopic(ctx, "a") },
			"message": func(context.Context) error {
				answer, err := r.s.system.Root.RequestFuture(r.s.PID(), &Put{*message("a", 0, "x")}, patience).Result()
				if err == nil {
					err = answer.(*PutReply).Result.Err
				}
				return err
			},
		} {
			ended := make(chan error, 1)
			go func() { // which a subscriber may end
				err := errors.New("panicked or was ended")
				defer func() { _ = recover(); ended <- err }()
				err = call(r.ctx)
			}()
			select {
			case err := <-ended:
				if !errors.Is(err, ErrRestarting) {
					t.Errorf("%s: %v", name, err)
				}
			case <-time.After(patience):
				t.Errorf("%s is not answered", name)
			}
		}
		if n := r.tree().admission.inFlight.Load(); n != 0 {
			t.Errorf("%d bytes are in flight", n)
		}
		release()
		r.goesOn("a", 3)
	})
}

// The same of a flush that came as a message, which ran on a goroutine where a
// panic was the end of the process.
func TestDeadLettersEndNoProcess(t *testing.T) {
	mourned(t, func(t *testing.T, r *rig) {
		r.puts("a", 0, 3)
		release := r.hold(appendName)
		r.kill(flusherName)
		eventually(t, "the flusher has gone", func() bool { return r.told("restarted flusher") == 1 && !r.here(flusherName) })
		answer, err := r.s.system.Root.RequestFuture(r.s.PID(), &Flush{}, patience).Result()
		if done, ok := answer.(*DoneReply); !ok || !errors.Is(done.Err, ErrRestarting) {
			t.Errorf("flush: %v %v", answer, err)
		}
		if err := r.s.Poke(flusherName); err != nil {
			t.Error(err)
		}
		release()
		r.goesOn("a", 3)
	})
}

// here tells whether there is an actor of a name.
func (r *rig) here(name string) bool {
	_, is := r.s.system.ProcessRegistry.Get(r.pid(name))
	return is
}

// goesOn puts message n of a topic as soon as somebody takes it, and looks at all.
func (r *rig) goesOn(topic string, n int) {
	r.t.Helper()
	eventually(r.t, "puts are taken again", func() bool {
		_, err := r.s.Put(r.ctx, message(topic, 0, fmt.Sprint(n)))
		if err != nil && statusOf(err) != flusher.ServiceNotAvailable {
			r.t.Fatal(err)
		}
		return err == nil
	})
	r.numbered(topic, n+1)
}
