package main

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/cmd/actorstore/load"
)

// benchLoad is what is put, and how it is read.
type benchLoad struct {
	load.Load
	warmup, readers int
}

func newBench(a *app) *cobra.Command {
	l := &benchLoad{}
	c := &cobra.Command{
		Use:   "bench DIR [flags]",
		Short: "Measure puts and gets in a new store",
		Long: `Put random bodies into an empty directory, read them back, and print rates and
latencies. What is put, and how, is the same as in the Java bench of tests/interop.

  put_per_s      messages a second until all queues hold them
  ack_per_s      messages a second until all are answered
  p50_us ...     from the call to the answer, as the producer sees it
  get_per_s      Get in batches of 32: copied and verified
  get_view_per_s the same with View: lent, not verified
  put_allocs     allocations of the whole process for each put; get_allocs alike

A warm-up of the same shape runs first and is not counted. The store stays.`,
		Example: `  actorstore bench /tmp/b --producers 4 --window 64 --size 1024 --count 1000000
  actorstore bench /tmp/b --producers 64 --flush sync --count 50000 --json`,
		Args: words("DIR"), ValidArgsFunction: onlyDir,
	}
	numberVar(c, &l.Producers, "producers", "", 1, 1, "goroutines that put")
	numberVar(c, &l.Window, "window", "", 1, 1, "unanswered puts of each; 1 waits for every answer")
	numberVar(c, &l.Size, "size", "", 1024, 0, "bytes of a body")
	numberVar(c, &l.Count, "count", "", 200_000, 1, "messages")
	numberVar(c, &l.Queues, "queues", "", 8, 1, "queues of the topic")
	numberVar(c, &l.warmup, "warmup", "", -1, 0, "messages before the measurement (default: --count, at most 100000)")
	unset(c, "warmup")
	numberVar(c, &l.readers, "readers", "", 1, 1, "goroutines that get")
	numberVar(c, &l.Bodies, "bodies", "", 1024, 1, "different bodies")
	numberVar(c, &l.Seed, "seed", "", 1, anyNumber, "of the bodies' bytes")
	c.Flags().BoolVar(&l.Keyed, "keyed", false, "give each message a tag and a key")
	a.store.flushing(c, "async")
	a.store.sizes(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.bench(c.Context(), l, args[0]) })
	return c
}

// emptyDir refuses a directory that holds anything.
func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(entries) == 0 {
		return nil
	}
	if err != nil {
		return err
	}
	return usage("a new directory", "%s is not empty; a store of its own is wanted", dir)
}

func (a *app) bench(ctx context.Context, l *benchLoad, dir string) (err error) {
	if l.warmup < 0 {
		l.warmup = min(l.Count, 100_000)
	}
	if err := emptyDir(dir); err != nil {
		return err
	}
	o, err := a.options(dir)
	if err != nil {
		return err
	}
	// Puts are to be bounded by producers and windows alone.
	const overhead = 1024
	o.MaxBytesInFlight = max(o.MaxBytesInFlight, 2*int64(l.Producers)*int64(l.Window)*int64(l.Size+overhead))
	s, err := a.open(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close(s)) }()
	b := &bench{store: s, load: l, bodies: l.MakeBodies(), sync: o.FlushDiskType == actorstore.SyncFlush}
	if err := b.run(ctx); err != nil {
		return err
	}
	segments, err := os.ReadDir(a.logDir(dir))
	if err != nil {
		return err
	}
	b.result.segments = len(segments)
	return a.benchReport(b)
}
