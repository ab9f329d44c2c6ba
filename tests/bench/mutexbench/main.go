package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/cmd/actorstore/load"
	"github.com/actorstore/actorstore/tests/bench/mutexlog"
)

// target makes the mutex log a load.Target.
type target struct{ *mutexlog.Log }

// Put is Log.Put; a context has nothing to end there.
func (t target) Put(_ context.Context, m *actorstore.Message) error { return t.Log.Put(m) }

func main() {
	l := load.Load{Size: 1024, Queues: 8, Bodies: 1024, Seed: 1}
	dir := flag.String("dir", "", "where the log is made")
	flush := flag.String("flush", "async", "async or sync")
	flag.IntVar(&l.Producers, "producers", 1, "goroutines that put")
	flag.IntVar(&l.Window, "window", 1, "of no effect: a put is done when it returns")
	flag.IntVar(&l.Count, "count", 200_000, "messages")
	segment := flag.Int64("segment", 1<<30, "bytes of a segment")
	flag.Parse()
	if err := run(&l, *dir, *segment, *flush == "sync"); err != nil {
		fmt.Fprintln(os.Stderr, "mutexbench:", err)
		os.Exit(1)
	}
}

func run(l *load.Load, dir string, segment int64, sync bool) error {
	log, err := mutexlog.Open(dir, segment, sync, 500*time.Millisecond)
	if err != nil {
		return err
	}
	bodies := l.MakeBodies()
	ctx := context.Background()
	if _, _, err := l.Run(ctx, target{log}, bodies, min(l.Count, 100_000)); err != nil { // warm-up
		return err
	}
	took, latency, err := l.Run(ctx, target{log}, bodies, l.Count)
	if err != nil {
		return err
	}
	rate := float64(l.Count) / took.Seconds()
	micros := func(d time.Duration) float64 { return float64(d) / 1e3 }
	if err := json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"put_per_s": rate, "ack_per_s": rate, "p50_us": micros(latency.Rank(0.5)), "p99_us": micros(latency.Rank(0.99)),
		"p999_us": micros(latency.Rank(0.999)), "max_us": micros(latency.Max()),
	}); err != nil {
		return err
	}
	return log.Close()
}
