package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/cmd/actorstore/load"
	"github.com/actorstore/actorstore/tests/interop"
)

// killedLoad is what a killed store holds: a gibibyte at a scale of 1, each
// message with a tag and a key.
func killedLoad(scale float64) load.Load {
	return load.Load{Producers: 64, Window: 16, Size: 1024, Count: int(900_000 * scale), Queues: 8, Bodies: 1024, Seed: 1, Keyed: true}
}

// killedByUs makes a store with actorstore in a process that is killed when all
// its puts are answered: queues and index may be behind, nothing is closed.
func killedByUs(ctx context.Context, dir string, scale float64) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c := exec.CommandContext(ctx, self, "-fill", dir, "-scale", strconv.FormatFloat(scale, 'g', -1, 64))
	c.Stderr = os.Stderr
	var died *exec.ExitError
	if err := c.Run(); !errors.As(err, &died) {
		return fmt.Errorf("the process that fills %s did not die: %v", dir, err)
	}
	return wasKilled(dir)
}

// killedByRocketMQ makes the same with RocketMQ, whose program stops without
// shutting its store down.
func killedByRocketMQ(ctx context.Context, e *interop.Engine, dir string, scale float64) error {
	l := killedLoad(scale)
	_, err := e.Bench(ctx, dir, interop.Settings{}, interop.Load{Producers: l.Producers, Window: l.Window, Size: l.Size,
		Count: l.Count - 1, Warmup: 1, Queues: l.Queues, Keyed: true})
	return errors.Join(err, wasKilled(dir))
}

func wasKilled(dir string) error {
	_, err := os.Stat(filepath.Join(dir, "abort"))
	return err
}

// fillAndDie puts the load and dies.
func fillAndDie(ctx context.Context, dir string, scale float64) error {
	o := actorstore.DefaultOptions(dir)
	l := killedLoad(scale)
	o.MaxBytesInFlight = max(o.MaxBytesInFlight, 4<<10*int64(l.Producers*l.Window))
	s, err := actorstore.Open(ctx, o)
	if err != nil {
		return err
	}
	if err := paced(ctx, s, l); err != nil {
		return err
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		return err
	}
	if err := self.Kill(); err != nil {
		return err
	}
	select {}
}

// killedRate is at how many messages a second the store is filled: about what
// RocketMQ takes. What an opening must check is what a second has brought, so a
// store that is filled in a second is all unchecked.
const killedRate = 160_000

// paced puts the load in slices of a tenth of a second.
func paced(ctx context.Context, s *actorstore.Store, l load.Load) error {
	const slice = killedRate / 10
	bodies := l.MakeBodies()
	began := time.Now()
	for done := 0; done < l.Count; done += slice {
		if _, _, err := l.Run(ctx, target{s}, bodies, min(slice, l.Count-done)); err != nil {
			return err
		}
		time.Sleep(time.Until(began.Add(time.Duration(done+slice) * time.Second / killedRate)))
	}
	return nil
}

type target struct{ *actorstore.Store }

func (t target) Put(ctx context.Context, m *actorstore.Message) error {
	_, err := t.Store.Put(ctx, m)
	return err
}
