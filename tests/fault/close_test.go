package fault_test

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestF65_NoSegmentAndFailedFlush: a put for which no segment can be made, while
// the flush of those before it fails, gives back what it counts: Close waits for
// nobody.
func TestF65_NoSegmentAndFailedFlush(t *testing.T) {
	virtual(t, func(t *testing.T) {
		script := mappedtest.NewScript(mappedtest.NewFS())
		c := fault.NewClient(script, "/data/store", false)
		c.Options.FlushIntervalCommitLog = time.Hour
		if !c.Open() {
			t.Fatal("does not open")
		}
		var armed atomic.Bool
		script.Add(mappedtest.Rule{Op: mappedtest.OpOpen, Path: "00000000000000016384", Err: syscall.ENOSPC, Forever: true,
			Before: func() {
				if armed.CompareAndSwap(true, false) {
					if err := c.Store.Flush(context.Background()); err == nil {
						t.Error("the flush succeeds")
					}
				}
			}})
		c.Many("orders", 1, 3000, 5, 5)
		synctest.Wait() // for what the allocator tries by itself
		script.Add(mappedtest.Rule{Op: mappedtest.OpFlush, Err: syscall.EIO, Forever: true})
		armed.Store(true)
		if p := c.Put("orders", 0, 3000); p.Result.Status != flusher.CreateMappedFileFailed {
			t.Errorf("a put without a segment: %v %v", p.Result.Status, p.Result.Err)
		}
		synctest.Wait() // bytes are given back behind the answer
		state, err := c.Store.State()
		if err != nil || state.ReadOnly == nil || state.InFlight != 0 {
			t.Errorf("read-only %v, in flight %d, %v", state.ReadOnly, state.InFlight, err)
		}
		if err := c.Close(); err == nil {
			t.Error("close is clean")
		}
		for _, f := range c.Faults {
			t.Error(f)
		}
	})
}
