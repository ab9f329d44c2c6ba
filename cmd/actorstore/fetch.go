package main

import (
	"context"
	"sync/atomic"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/cmd/actorstore/load"
)

const (
	fetchBatch = 32 // messages of one Get, as the Java bench
	cacheLine  = 64
)

// fetched keeps the compiler from dropping the reads.
var fetched atomic.Int64

// fetcher reads every step-th queue from one end to the other.
type fetcher struct {
	store      *actorstore.Store
	begin, end []int64
	first      int
	step       int
	got        actorstore.GetResult
	read       int64
	sum        int64
}

// touch reads one byte of every cache line of a body, and no more.
func (f *fetcher) touch(m *actorstore.MessageExt) {
	for i := 0; i < len(m.Body); i += cacheLine {
		f.sum += int64(m.Body[i])
	}
	f.read++
}

// copies reads with Get, which copies and verifies.
func (f *fetcher) copies(ctx context.Context) error {
	return f.each(func(req actorstore.GetRequest) (int64, actorstore.GetMessageStatus, error) {
		err := f.store.Get(ctx, req, &f.got)
		for i := range f.got.Messages {
			f.touch(&f.got.Messages[i])
		}
		return f.got.NextOffset, f.got.Status, err
	})
}

// views reads with View, which lends the mapped log.
func (f *fetcher) views(ctx context.Context) error {
	visit := func(m *actorstore.MessageExt) error {
		f.touch(m)
		return nil
	}
	return f.each(func(req actorstore.GetRequest) (int64, actorstore.GetMessageStatus, error) {
		r, err := f.store.View(ctx, req, visit)
		return r.NextOffset, r.Status, err
	})
}

func (f *fetcher) each(get func(actorstore.GetRequest) (int64, actorstore.GetMessageStatus, error)) error {
	for q := f.first; q < len(f.end); q += f.step {
		for next := f.begin[q]; next < f.end[q]; {
			after, status, err := get(actorstore.GetRequest{Topic: load.Topic, QueueID: int32(q), Offset: next, MaxCount: fetchBatch})
			if err == nil && (status != actorstore.Found || after <= next) {
				err = fail(kindFailed, "", "queue %d at %d: %v", q, next, status)
			}
			if err != nil {
				return err
			}
			next = after
		}
	}
	fetched.Add(f.sum)
	return nil
}
