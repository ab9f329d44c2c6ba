package main

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/cmd/actorstore/load"
)

// bench is one measurement.
type bench struct {
	store  *actorstore.Store
	load   *benchLoad
	bodies [][]byte
	sync   bool
	result benchResult
}

type benchResult struct {
	answered, built, read, viewed time.Duration
	latency                       *load.Histogram
	putAllocs, putBytes           float64
	getAllocs                     float64
	segments                      int
}

func (b *bench) run(ctx context.Context) error {
	if b.load.warmup > 0 {
		if _, err := b.put(ctx, b.load.warmup); err != nil {
			return err
		}
		if _, err := b.get(ctx, make([]int64, b.load.Queues), (*fetcher).copies); err != nil {
			return err
		}
	}
	begin, err := b.ends()
	if err != nil {
		return err
	}
	r := &b.result
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if r.latency, err = b.put(ctx, b.load.Count); err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	n := float64(b.load.Count)
	r.putAllocs, r.putBytes = float64(after.Mallocs-before.Mallocs)/n, float64(after.TotalAlloc-before.TotalAlloc)/n
	if r.read, err = b.get(ctx, begin, (*fetcher).copies); err != nil {
		return err
	}
	runtime.ReadMemStats(&before)
	r.getAllocs = float64(before.Mallocs-after.Mallocs) / n
	r.viewed, err = b.get(ctx, begin, (*fetcher).views)
	return err
}

// put puts count messages and waits until all queues hold them.
func (b *bench) put(ctx context.Context, count int) (*load.Histogram, error) {
	start := time.Now()
	took, latency, err := b.load.Run(ctx, putting{b.store}, b.bodies, count)
	if err != nil {
		return nil, err
	}
	b.result.answered = took
	err = b.store.Dispatched(ctx)
	b.result.built = time.Since(start)
	return latency, err
}

// putting makes a store a load.Target.
type putting struct{ *actorstore.Store }

// Put waits for the answer; what is not PUT_OK is an error.
func (p putting) Put(ctx context.Context, m *actorstore.Message) error {
	_, err := p.Store.Put(ctx, m)
	return err
}

// get reads every queue from begin to its end.
func (b *bench) get(ctx context.Context, begin []int64, how func(*fetcher, context.Context) error) (time.Duration, error) {
	end, err := b.ends()
	if err != nil {
		return 0, err
	}
	fetchers := make([]fetcher, b.load.readers)
	start := time.Now()
	err = load.Together(len(fetchers), func(i int) error {
		fetchers[i] = fetcher{store: b.store, begin: begin, end: end, first: i, step: len(fetchers)}
		return how(&fetchers[i], ctx)
	})
	took := time.Since(start)
	var read, want int64
	for i := range fetchers {
		read += fetchers[i].read
	}
	for q := range end {
		want += end[q] - begin[q]
	}
	if err == nil && read != want {
		err = damaged("actorstore verify DIR", "read %d messages of %d", read, want)
	}
	return took, err
}

// ends are the queues' ends; a queue that has had no message ends at 0.
func (b *bench) ends() ([]int64, error) {
	ends := make([]int64, b.load.Queues)
	for q := range ends {
		end, err := b.store.MaxOffset(load.Topic, int32(q))
		if err != nil && !errors.Is(err, actorstore.ErrNoQueue) {
			return nil, err
		}
		ends[q] = end
	}
	return ends, nil
}
