package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/cmd/actorstore/load"
	"github.com/actorstore/actorstore/tests/interop"
)

// recovery opens killed stores with both engines in turn, each a copy of its
// own, and prints how long that took. Both must find the same log and queues.
// Neither the start of the Java machine nor that of a process counts.
func recovery(ctx context.Context, o options) error {
	e, err := interop.NewEngine()
	if err != nil {
		return err
	}
	fmt.Printf("opening a store whose process was killed, in the page cache; median of %d runs in turn\n", o.runs)
	fmt.Printf("of the seconds until puts are taken and queues and index hold what the log holds\n\n")
	fmt.Println("| killed under | GiB of log | actorstore s | RocketMQ s | times as fast | wanted |\n|---|---|---|---|---|---|")
	for _, k := range []struct {
		name string
		make func(dir string) error
	}{
		{"actorstore", func(dir string) error { return killedByUs(ctx, dir, o.scale) }},
		{"RocketMQ", func(dir string) error { return killedByRocketMQ(ctx, e, dir, o.scale) }},
	} {
		if !strings.Contains(k.name, o.only) {
			continue
		}
		dir := filepath.Join(o.dir, "killed")
		if err := k.make(dir); err != nil {
			return err
		}
		if err := openings(ctx, o, e, k.name, dir); err != nil {
			return fmt.Errorf("killed under %s: %w", k.name, err)
		}
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// openings measures one killed store.
func openings(ctx context.Context, o options, e *interop.Engine, name, dir string) error {
	ours, theirs := filepath.Join(o.dir, "ours"), filepath.Join(o.dir, "theirs")
	defer os.RemoveAll(ours)
	defer os.RemoveAll(theirs)
	var actor, rocketmq []float64
	var end int64
	for range o.runs {
		a, err := atOurs(ctx, o, dir, ours)
		if err != nil {
			return err
		}
		if err := restore(dir, theirs); err != nil {
			return err
		}
		time.Sleep(o.pause)
		b, err := e.Recover(ctx, theirs, interop.Settings{}, killedLoad(o.scale).Queues)
		if err != nil {
			return err
		}
		if a.ends != b.Ends || a.end != b.End {
			return fmt.Errorf("actorstore finds queues up to %s and a log up to %d, RocketMQ %s and %d", a.ends, a.end, b.Ends, b.End)
		}
		actor, rocketmq, end = append(actor, a.seconds), append(rocketmq, b.Ms/1000), a.end
		fmt.Fprintf(os.Stderr, "killed under %s: actorstore %.2f s, RocketMQ %.2f s\n", name, a.seconds, b.Ms/1000)
	}
	a, m := middle(actor), middle(rocketmq)
	fmt.Printf("| %s | %.2f | %.2f | %.2f | %s | 3.0 |\n", name, float64(end)/(1<<30), a, m, ratio(m, a))
	return nil
}

// opening is what was found and how long it took.
type opening struct {
	seconds float64
	end     int64  // of the log
	ends    string // of the queues, in order
}

// atOurs opens a copy with actorstore.
func atOurs(ctx context.Context, o options, from, dir string) (r opening, err error) {
	if err := restore(from, dir); err != nil {
		return r, err
	}
	time.Sleep(o.pause)
	began := time.Now()
	s, err := actorstore.Open(ctx, actorstore.DefaultOptions(dir))
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, s.Close(ctx)) }()
	if err := awaitIndex(ctx, s); err != nil {
		return r, err
	}
	r.seconds = time.Since(began).Seconds()
	state, err := s.State()
	if err != nil {
		return r, err
	}
	r.end = state.Watermarks.Appended
	for _, t := range s.Topics() {
		for _, q := range t.Queues {
			if t.Topic == load.Topic {
				r.ends = strings.TrimSpace(fmt.Sprint(r.ends, " ", q.Max))
			}
		}
	}
	return r, nil
}

// awaitIndex returns when key queries see everything.
func awaitIndex(ctx context.Context, s *actorstore.Store) error {
	for {
		r, err := s.Query(ctx, actorstore.QueryRequest{Topic: load.Topic, Key: "no such key", MaxCount: 1})
		if err != nil || !r.Incomplete {
			return err
		}
		time.Sleep(time.Millisecond)
	}
}

func middle(runs []float64) float64 {
	slices.Sort(runs)
	return runs[len(runs)/2]
}
