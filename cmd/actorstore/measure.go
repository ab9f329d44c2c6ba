package main

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/actorstore/actorstore"
)

// bench is one measurement.
type bench struct {
	store  *actorstore.Store
	load   *load
	bodies [][]byte
	sync   bool
	result benchResult
}

type benchResult struct {
	answered, built, read, viewed time.Duration
	latency                       histogram
	putAllocs, putBytes           float64
	getAllocs                     float64
	segments                      int
}

func (b *bench) run(ctx context.Context) error {
	if b.load.warmup > 0 {
		if _, err := b.put(ctx, b.load.warmup); err != nil {
			return err
		}
		if _, err := b.get(ctx, make([]int64, b.load.queues), (*fetcher).copies); err != nil {
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
	puts, err := b.put(ctx, b.load.count)
	if err != nil {
		return err
	}
	runtime.ReadMemStats(&after)
	n := float64(b.load.count)
	r.putAllocs, r.putBytes = float64(after.Mallocs-before.Mallocs)/n, float64(after.TotalAlloc-before.TotalAlloc)/n
	for _, p := range puts {
		r.latency.merge(&p.latency)
	}
	if r.read, err = b.get(ctx, begin, (*fetcher).copies); err != nil {
		return err
	}
	runtime.ReadMemStats(&before)
	r.getAllocs = float64(before.Mallocs-after.Mallocs) / n
	r.viewed, err = b.get(ctx, begin, (*fetcher).views)
	return err
}

// put puts count messages and waits until all queues hold them.
func (b *bench) put(ctx context.Context, count int) ([]*producer, error) {
	producers := make([]*producer, b.load.producers)
	for i := range producers {
		producers[i] = newProducer(b.store, b.load, b.bodies, i, count)
	}
	start := time.Now()
	for _, p := range producers {
		p.start = start
	}
	if err := together(len(producers), func(i int) error { return producers[i].run(ctx) }); err != nil {
		return nil, err
	}
	b.result.answered = time.Since(start)
	err := b.store.Dispatched(ctx)
	b.result.built = time.Since(start)
	return producers, err
}

// get reads every queue from begin to its end.
func (b *bench) get(ctx context.Context, begin []int64, how func(*fetcher, context.Context) error) (time.Duration, error) {
	end, err := b.ends()
	if err != nil {
		return 0, err
	}
	fetchers := make([]fetcher, b.load.readers)
	start := time.Now()
	err = together(len(fetchers), func(i int) error {
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
		err = fail(exitFailed, "actorstore verify", "read %d messages of %d", read, want)
	}
	return took, err
}

// ends are the queues' ends; a queue that has had no message ends at 0.
func (b *bench) ends() ([]int64, error) {
	ends := make([]int64, b.load.queues)
	for q := range ends {
		end, err := b.store.MaxOffset(benchTopic, int32(q))
		if err != nil && !errors.Is(err, actorstore.ErrNoQueue) {
			return nil, err
		}
		ends[q] = end
	}
	return ends, nil
}
