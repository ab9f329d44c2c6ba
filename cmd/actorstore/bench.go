package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

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
	c.Flags().IntVar(&l.Producers, "producers", 1, "goroutines that put")
	c.Flags().IntVar(&l.Window, "window", 1, "unanswered puts of each; 1 waits for every answer")
	c.Flags().IntVar(&l.Size, "size", 1024, "bytes of a body")
	c.Flags().IntVar(&l.Count, "count", 200_000, "messages")
	c.Flags().IntVar(&l.Queues, "queues", 8, "queues of the topic")
	c.Flags().IntVar(&l.warmup, "warmup", -1, "messages before the measurement (default: --count, at most 100000)")
	unset(c, "warmup")
	c.Flags().IntVar(&l.readers, "readers", 1, "goroutines that get")
	c.Flags().IntVar(&l.Bodies, "bodies", 1024, "different bodies")
	c.Flags().Int64Var(&l.Seed, "seed", 1, "of the bodies' bytes")
	c.Flags().BoolVar(&l.Keyed, "keyed", false, "give each message a tag and a key")
	a.store.flushing(c, "async")
	a.store.sizes(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.bench(c.Context(), l, args[0]) })
	return c
}

func (l *benchLoad) check() error {
	if l.warmup < 0 {
		l.warmup = min(l.Count, 100_000)
	}
	for _, n := range []int{l.Producers, l.Window, l.Count, l.Queues, l.readers, l.Bodies, l.Size + 1} {
		if n < 1 {
			return usage("actorstore bench --help", "every number of bench is at least 1, --size and --warmup 0")
		}
	}
	return nil
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
	if err := l.check(); err != nil {
		return err
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
	segments, err := os.ReadDir(filepath.Join(dir, "commitlog"))
	if err != nil {
		return err
	}
	b.result.segments = len(segments)
	return a.benchReport(b)
}
