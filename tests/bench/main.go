package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"
)

// options are what the command line says.
type options struct {
	runs   int           // of each cell and side
	pause  time.Duration // between runs that sync, which the disk throttles
	only   string        // part of a cell's name
	engine bool          // run Apache RocketMQ too
	dir    string        // where stores are made
	scale  float64       // of the number of messages
	reopen bool          // measure how killed stores are opened, nothing else
	fill   string        // put a load there and be killed
}

func main() {
	var o options
	flag.IntVar(&o.runs, "runs", 5, "runs of each side; the median counts")
	flag.DurationVar(&o.pause, "pause", 2*time.Second, "pause before a run")
	flag.StringVar(&o.only, "only", "", "only the lines whose name contains this")
	flag.BoolVar(&o.engine, "rocketmq", true, "run Apache RocketMQ beside (needs a JDK and Maven)")
	flag.StringVar(&o.dir, "dir", "", "where stores are made; default a temporary directory")
	flag.Float64Var(&o.scale, "scale", 1, "of the numbers of messages")
	flag.BoolVar(&o.reopen, "recover", false, "measure how long a killed store takes to open, beside Apache RocketMQ; nothing else")
	flag.StringVar(&o.fill, "fill", "", "used by -recover: make a store in this directory and be killed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) error {
	if o.fill != "" {
		return fillAndDie(ctx, o.fill, o.scale)
	}
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "actorstore-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.dir = dir
	}
	if o.reopen {
		return recovery(ctx, o)
	}
	s, err := newSides(o)
	if err != nil {
		return err
	}
	fmt.Printf("median of %d runs in turn; 1 KiB bodies, 8 queues; put_per_s until all queues are built\n\n", o.runs)
	fmt.Println(heading)
	for _, c := range cells {
		if !c.matches(o.only) {
			continue
		}
		r, err := s.measure(ctx, o, c)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		fmt.Println(r.line(c))
	}
	return nil
}
