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

// An actor that spawned a store in Receive waited as long as its context let it if
// the store actor failed meanwhile: it was the one who was to restart it. Under a
// parent that does not wait the store is restarted, and opens.
func TestSpawnInsideActorWhenTheStoreFails(t *testing.T) {
	for _, at := range []Step{StepStarted, StepOther} {
		for _, way := range []string{"inside", "root", "props"} {
			t.Run(string(at)+"/"+way, func(t *testing.T) {
				virtual(t, func(t *testing.T) { spawnThatFails(t, at, way) })
			})
		}
	}
}

func spawnThatFails(t *testing.T, at Step, way string) {
	system := newSystem(zerolog.Nop())
	defer system.Shutdown()
	var failed atomic.Bool
	o := small(mappedtest.NewFS())
	o.FlushIntervalCommitLog = time.Second
	o.Faults = steps(func(name string, m Step, done bool) {
		if name == storeName && m == at && !done && !failed.Swap(true) {
			panic("while it opens")
		}
	})
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	began := time.Now()
	type result struct {
		s   *Store
		err error
	}
	done := make(chan result, 1)
	parent := system.Root.Spawn(actor.PropsFromFunc(func(c actor.Context) {
		if _, ok := c.Message().(*actor.Started); !ok {
			return
		}
		switch way {
		case "inside":
			_, err := Spawn(ctx, c, "store", o)
			if err == nil || !strings.Contains(err.Error(), "while it opens") {
				t.Errorf("after %v: %v", time.Since(began), err)
			}
			s, err := Spawn(ctx, c, "another", o)
			done <- result{s, err}
		case "root":
			s, err := Spawn(ctx, system.Root, "store", o)
			done <- result{s, err}
		case "props":
			props, s := Props(o)
			c.Spawn(props)
			go func() { done <- result{s, s.Ready(ctx)} }()
		}
	}))
	r := <-done
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
	if r.err != nil || !failed.Load() {
		t.Fatalf("failed %v: %v", failed.Load(), r.err)
	}
	if _, err := r.s.Put(ctx, message("a", 0, "x")); err != nil {
		t.Error(err)
	}
	if err := r.s.Close(ctx); err != nil {
		t.Error(err)
	}
	stopAll(t, system, parent)
	if err := r.s.Ready(ctx); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
}

// A store needs a name among the children of its parent.
func TestSpawnWithoutName(t *testing.T) {
	system := newSystem(zerolog.Nop())
	defer system.Shutdown()
	s, err := Spawn(t.Context(), system.Root, "", small(mappedtest.NewFS()))
	var option *OptionError
	if s != nil || !errors.As(err, &option) || option.Option != "name" {
		t.Errorf("%v", err)
	}
}
