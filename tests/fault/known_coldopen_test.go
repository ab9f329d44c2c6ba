package fault_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestF61_StuckOpenHoldsNoOtherFile: readers stand still in the opening of old queue
// files. New files of another queue once waited for them, one in 64, and with their
// shard all that is dispatched. In real time: a mutex lets no bubble go on.
func TestF61_StuckOpenHoldsNoOtherFile(t *testing.T) {
	script := mappedtest.NewScript(mappedtest.NewFS())
	c := opened(t, script, false, func(o *actorstore.Options) { o.MessageIndexEnable, o.HangTimeout = false, 0 })
	c.Many("cold", coldQueues, 500, coldQueues*9, 64)
	c.Put("hot", 0, 500)
	if err := c.Store.Dispatched(tctx); err != nil {
		t.Fatal(err)
	}
	gate := make(chan struct{})
	script.Add(mappedtest.Rule{Op: mappedtest.OpOpen, Path: "/data/store/consumequeue/cold/*/*", Forever: true, Before: func() { <-gate }})
	var readers sync.WaitGroup
	for queue := range int32(24) {
		readers.Go(func() {
			_ = c.Store.Get(tctx, actorstore.GetRequest{Topic: "cold", QueueID: queue, MaxCount: 9}, new(actorstore.GetResult))
		})
	}
	time.Sleep(10 * time.Millisecond) // they are under way
	for n := range 700 {              // 70 new files of the hot queue
		c.Put("hot", 0, 100)
		ctx, cancel := context.WithTimeout(tctx, 20*time.Second)
		err := c.Store.Dispatched(ctx)
		cancel()
		if err != nil {
			t.Errorf("put %d stands in no queue while readers of other queues open their files: %v", n, err)
			break
		}
	}
	close(gate)
	readers.Wait()
	closeClient(t, c)
}

// TestF61_HotFileStaysBesideColdOnes: one queue is read in every round, beside others
// in turn, of more files than may be open. Its file is not the one that goes.
func TestF61_HotFileStaysBesideColdOnes(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c, script := cold(t)
		var hot atomic.Int64
		script.Add(mappedtest.Rule{Op: mappedtest.OpOpen, Path: "/data/store/consumequeue/hot/*/*", Forever: true, Then: func() { hot.Add(1) }})
		var got actorstore.GetResult
		for round := range 200 {
			for n := range 8 {
				drain(t, c, int32((round*8+n)%coldQueues), &got)
			}
			tail(t, c, 1)
		}
		if hot.Load() > 5 {
			t.Errorf("the hot file was opened %d times", hot.Load())
		}
		closeClient(t, c)
	})
}
