package fault_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/fault"
)

const coldQueues, coldEach = 40, 20

// cold makes a store with a backlog in many queues, more than may be open.
func cold(t *testing.T) (*fault.Client, *mappedtest.Script) {
	script := mappedtest.NewScript(mappedtest.NewFS())
	c := opened(t, script, false, func(o *actorstore.Options) {
		o.MappedFileSizeConsumeQueue = 1000 * 20
		o.MessageIndexEnable = false
	})
	c.Many("cold", coldQueues, 500, coldQueues*coldEach, 64)
	c.Put("hot", 0, 500)
	if err := c.Store.Dispatched(tctx); err != nil {
		t.Fatal(err)
	}
	return c, script
}

// drain reads a cold queue.
func drain(t *testing.T, c *fault.Client, queue int32, got *actorstore.GetResult) {
	t.Helper()
	if err := c.Store.Get(tctx, actorstore.GetRequest{Topic: "cold", QueueID: queue, MaxCount: coldEach}, got); err != nil || len(got.Messages) != coldEach {
		t.Errorf("cold queue %d: %d messages, %v %v", queue, len(got.Messages), got.Status, err)
	}
}

// tail puts and reads at the end, n times.
func tail(t *testing.T, c *fault.Client, n int) {
	t.Helper()
	var got actorstore.GetResult
	for range n {
		p := c.Put("hot", 0, 1000)
		if err := c.Store.Dispatched(tctx); err != nil {
			t.Fatal(err)
		}
		err := c.Store.Get(tctx, actorstore.GetRequest{Topic: "hot", Offset: p.Result.QueueOffset}, &got)
		if err != nil || len(got.Messages) != 1 {
			t.Fatalf("the reader at the end, message %d: %v %v", p.Result.QueueOffset, got.Status, err)
		}
	}
}

// TestF61_StuckColdReaders: readers of old messages stand still, some in the opening
// of a queue file, some on a page of the log. The writer and the reader at the end do
// not wait for them for a moment, over new segments too.
func TestF61_StuckColdReaders(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c, script := cold(t)
		timed := func() time.Duration {
			began := time.Now()
			tail(t, c, 300)
			return time.Since(began)
		}
		alone := timed()
		gate := make(chan struct{})
		var opening, viewing atomic.Int64
		script.Add(mappedtest.Rule{Op: mappedtest.OpOpen, Path: "/data/store/consumequeue/cold/*/*", Forever: true,
			Before: func() { opening.Add(1); <-gate }})
		var readers sync.WaitGroup
		for queue := range int32(24) { // 16 of the files are open, at most
			readers.Go(func() { drain(t, c, queue, new(actorstore.GetResult)) })
		}
		for range 4 {
			readers.Go(func() {
				v, err := c.Store.View(tctx, actorstore.GetRequest{Topic: "hot", MaxCount: 1},
					func(*actorstore.MessageExt) error { viewing.Add(1); <-gate; return nil })
				if err != nil || v.Count != 1 {
					t.Errorf("reader of the first message: %d, %v", v.Count, err)
				}
			})
		}
		synctest.Wait()
		stuck := opening.Load()
		if stuck < 8 || viewing.Load() != 4 {
			t.Errorf("%d readers are stuck in files of queues, %d on the log: the test tests nothing", stuck, viewing.Load())
		}
		if took := timed(); took > alone+alone/2 {
			t.Errorf("300 puts and reads at the end take %v, without the others %v", took, alone)
		}
		if opening.Load() != stuck {
			t.Error("the cold readers were not stuck all the time")
		}
		close(gate)
		readers.Wait()
		script.Clear()
		checked(t, c)
		closeClient(t, c)
	})
}

// TestF61_HotFilesStayOpen: readers that go through more files than may be open do
// not take away the one that is read all the time.
func TestF61_HotFilesStayOpen(t *testing.T) {
	virtual(t, func(t *testing.T) {
		c, script := cold(t)
		var hot, cold atomic.Int64
		script.Add(
			mappedtest.Rule{Op: mappedtest.OpOpen, Path: "/data/store/consumequeue/hot/*/*", Forever: true, Then: func() { hot.Add(1) }},
			mappedtest.Rule{Op: mappedtest.OpOpen, Path: "/data/store/consumequeue/cold/*/*", Forever: true, Then: func() { cold.Add(1) }})
		var got actorstore.GetResult
		for round := range 200 {
			for n := range 2 { // of 16 files that may be open
				drain(t, c, int32((round*2+n)%coldQueues), &got)
			}
			tail(t, c, 1)
		}
		if hot.Load() > 5 || cold.Load() < 300 {
			t.Errorf("the hot file was opened %d times, cold files %d times", hot.Load(), cold.Load())
		}
		closeClient(t, c)
	})
}

// TestF61_BacklogCostsNoMemory: what a reader of a backlog allocates, keeps and asks
// of the disk does not grow with the backlog.
func TestF61_BacklogCostsNoMemory(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const messages, size = 4000, 1000
		script := mappedtest.NewScript(mappedtest.NewFS())
		c := opened(t, script, false, func(o *actorstore.Options) {
			o.MappedFileSizeCommitLog, o.MappedFileSizeConsumeQueue = 1<<20, 1000*20
			o.MessageIndexEnable, o.CleanResourceInterval = false, time.Hour
		})
		c.Many("cold", 1, size, messages, 64)
		if err := c.Store.Dispatched(tctx); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute) // nobody else works
		var got actorstore.GetResult
		for name, read := range map[string]func(at int64) int64{
			"get": func(at int64) int64 {
				if err := c.Store.Get(tctx, actorstore.GetRequest{Topic: "cold", Offset: at, MaxCount: 32}, &got); err != nil {
					t.Fatal(err)
				}
				return got.NextOffset
			},
			"view": func(at int64) int64 {
				v, err := c.Store.View(tctx, actorstore.GetRequest{Topic: "cold", Offset: at, MaxCount: 32}, func(*actorstore.MessageExt) error { return nil })
				if err != nil {
					t.Fatal(err)
				}
				return v.NextOffset
			},
		} {
			whole := func() {
				for at := int64(0); at < messages; at = read(at) {
				}
			}
			whole()
			var before, after runtime.MemStats
			heap, calls := used(), script.Calls()
			runtime.ReadMemStats(&before)
			whole()
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > messages*size/16 { // pools forget now and then
				t.Errorf("%s: to read %d messages of %d bytes allocates %d bytes", name, messages, size, n)
			}
			if n := used() - heap; n > 64<<10 {
				t.Errorf("%s: to read %d messages keeps %d bytes", name, messages, n)
			}
			if n := script.Calls() - calls; n > messages/32 {
				t.Errorf("%s: %d calls to the disk for %d messages", name, n, messages)
			}
		}
		closeClient(t, c)
	})
}
