package fault_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestF38_SlowDeletionHidesNothing: while every removal of a segment takes two
// seconds, the disk is looked at in time, and puts are refused before it is full.
func TestF38_SlowDeletionHidesNothing(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const period = time.Second
		disk := mappedtest.NewFS()
		script := mappedtest.NewScript(disk)
		var mu sync.Mutex
		var last time.Time
		var oldest time.Duration
		script.Add(
			mappedtest.Rule{Op: mappedtest.OpRemove, Path: "/data/store/commitlog/*", Forever: true, Delay: 2 * time.Second},
			mappedtest.Rule{Op: mappedtest.OpDiskUsage, Path: "/data/store/commitlog", Forever: true, Then: func() {
				mu.Lock()
				defer mu.Unlock()
				if now := time.Now(); !last.IsZero() {
					oldest = max(oldest, now.Sub(last))
				}
				last = time.Now()
			}},
		)
		c := opened(t, script, false, func(o *actorstore.Options) {
			o.CleanResourceInterval = period
			o.MessageIndexEnable = false
			o.FileReservedTime = time.Millisecond // all but the segment in use has expired
		})
		disk.SetCapacity(1 << 20)
		full := false
		for range 600 {
			if p := c.Put("orders", 0, 8000); !p.Acked() {
				if !errors.Is(p.Result.Err, actorstore.ErrDiskFull) {
					t.Errorf("put %d: %v %v", p.Serial, p.Result.Status, p.Result.Err)
				}
				full = true
			}
			time.Sleep(100 * time.Millisecond)
		}
		if !full {
			t.Error("the disk was never too full")
		}
		if mu.Lock(); oldest > 2*period {
			t.Errorf("the disk was not looked at for %v", oldest)
		}
		mu.Unlock()
		script.Clear()
		time.Sleep(time.Minute)
		if p := c.Put("orders", 0, 8000); !p.Acked() {
			t.Errorf("after the cleanup: %v %v", p.Result.Status, p.Result.Err)
		}
		closeClient(t, c)
	})
}

// TestF60_NextSegmentIsReady: at a steady load the segment that follows is there
// before the writer comes to it, so that no put makes one.
func TestF60_NextSegmentIsReady(t *testing.T) {
	for _, flush := range []bool{true, false} {
		virtual(t, func(t *testing.T) {
			script := mappedtest.NewScript(mappedtest.NewFS())
			c := opened(t, script, flush, nil)
			for range 100 {
				state, err := c.Store.State()
				if err != nil {
					t.Fatal(err)
				}
				before := madeSegments(script)
				p := c.Put("orders", 0, 3000)
				rolled := p.Result.PhysicalOffset/(16<<10) != (state.Watermarks.Appended-1)/(16<<10)
				if rolled && state.Watermarks.Appended > 0 && before*(16<<10) <= p.Result.PhysicalOffset {
					t.Errorf("the segment of offset %d was made by its put", p.Result.PhysicalOffset)
				}
				synctest.Wait() // the load is steady: the allocator has its turn
			}
			closeClient(t, c)
		})
	}
}

// madeSegments is how many segments have been put in place so far.
func madeSegments(script *mappedtest.Script) (n int64) {
	for _, c := range script.Trace() {
		if c.Op == mappedtest.OpRename && filepath.Dir(c.Path) == "/data/store/commitlog" && c.Err == nil {
			n++
		}
	}
	return n
}

// TestF63_NothingIsKept: topics that come and go, callers that do not wait for
// their answers and stores that are opened and closed leave no goroutine, no
// memory, no file and no map behind.
func TestF63_NothingIsKept(t *testing.T) {
	virtual(t, func(t *testing.T) {
		disk := mappedtest.NewFS()
		c := opened(t, disk, false, func(o *actorstore.Options) {
			o.MappedFileSizeCommitLog, o.MessageIndexEnable = 256<<10, false
			o.MaxStoreSize = 512 << 10 // the log is in memory here, and not what is asked for
		})
		for n := range 10000 {
			comeAndGo(t, c, n)
		}
		time.Sleep(time.Minute)
		goroutines, heap := runtime.NumGoroutine(), used()
		for n := range 20000 {
			comeAndGo(t, c, n)
		}
		time.Sleep(time.Minute)
		again, now := runtime.NumGoroutine(), used()
		if again > goroutines+10 {
			t.Errorf("%d goroutines, before %d", again, goroutines)
		}
		if now > heap+1<<20 { // 50 bytes a topic
			t.Errorf("%d bytes in use, before %d", now, heap)
		}
		closeClient(t, c)
		if n, m := disk.OpenFiles(), disk.Mappings(); n != 0 || m != 0 {
			t.Errorf("%d files are open and %d mapped", n, m)
		}
		for range 20 {
			if !c.Open() {
				t.Fatal("does not open")
			}
			closeClient(t, c)
		}
		time.Sleep(time.Minute)
		if last := runtime.NumGoroutine(); last > goroutines {
			t.Errorf("%d goroutines after 20 times open and close, before %d", last, goroutines)
		}
	})
}

// comeAndGo makes a topic, leaves a put behind, and deletes the topic.
func comeAndGo(t *testing.T, c *fault.Client, n int) {
	topic := fmt.Sprint("topic", n%50)
	p, err := c.Store.Begin(&actorstore.Message{Topic: topic, Body: []byte("b")})
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	_, _ = p.Wait(gone) // its answer comes later, to nobody
	if err := c.Store.DeleteTopic(context.Background(), topic); err != nil {
		t.Fatal(err)
	}
}
