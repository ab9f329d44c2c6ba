package fault_test

import (
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

const rollSegment = 16 << 10

// TestF60_RollsWaitForNobody: while the making of a segment stands still in the disk
// puts go on to the end of the one that was ready, and do not wait for a moment. The
// one behind it is answered when the disk goes on.
func TestF60_RollsWaitForNobody(t *testing.T) {
	for _, flush := range []bool{true, false} {
		virtual(t, func(t *testing.T) {
			script := mappedtest.NewScript(mappedtest.NewFS())
			c := opened(t, script, flush, func(o *actorstore.Options) {
				o.MappedFileSizeCommitLog, o.MessageIndexEnable, o.HangTimeout = rollSegment, false, 0
			})
			c.Put("orders", 0, 1000)
			synctest.Wait() // one segment is in use, one ready
			gate := make(chan struct{})
			var stuck atomic.Int64
			script.Add(mappedtest.Rule{Op: mappedtest.OpAllocate, Path: "/data/store/actorstore/tmp/*", Forever: true, Before: func() { stuck.Add(1); <-gate }})
			began, n := time.Now(), 0
			for end := int64(0); end < 2*rollSegment-1500; n++ {
				p := c.Put("orders", 0, 1000)
				if !p.Acked() {
					t.Fatalf("put %d: %v %v", n, p.Result.Status, p.Result.Err)
				}
				end = p.Result.End()
				synctest.Wait() // the load is steady
			}
			if took := time.Since(began); took > 0 {
				t.Errorf("%d puts have waited %v", n, took)
			}
			if made := madeSegments(script); made != 2 || stuck.Load() == 0 {
				t.Errorf("%d segments, %d makings of one stand still", made, stuck.Load())
			}
			done := make(chan struct{})
			go func() {
				defer close(done)
				c.Put("orders", 0, 3000) // does not fit any more
			}()
			close(gate)
			<-done
			script.Clear()
			checked(t, c)
			closeClient(t, c)
		})
	}
}

// TestF60_WriteBackHoldsNobody: while nothing of the log can be written back puts
// that need not wait for the disk do not wait for it, over new segments too.
func TestF60_WriteBackHoldsNobody(t *testing.T) {
	virtual(t, func(t *testing.T) {
		script := mappedtest.NewScript(mappedtest.NewFS())
		c := opened(t, script, false, func(o *actorstore.Options) {
			o.MappedFileSizeCommitLog, o.MessageIndexEnable, o.HangTimeout = rollSegment, false, 0
		})
		c.Put("orders", 0, 1000)
		time.Sleep(time.Second)
		gate := make(chan struct{})
		var stuck sync.Once
		in := make(chan struct{})
		for _, op := range []mappedtest.Op{mappedtest.OpDatasync, mappedtest.OpSync, mappedtest.OpFlush, mappedtest.OpWriteback} {
			script.Add(mappedtest.Rule{Op: op, Path: "/data/store/commitlog/*", Forever: true,
				Before: func() { stuck.Do(func() { close(in) }); <-gate }})
		}
		c.Put("orders", 0, 1000)
		<-in
		began := time.Now()
		for range 200 {
			if p := c.Put("orders", 0, 1000); !p.Acked() {
				t.Fatalf("%v %v", p.Result.Status, p.Result.Err)
			}
			synctest.Wait() // the load is steady
		}
		if took := time.Since(began); took > 0 {
			t.Errorf("200 puts have waited %v for the disk", took)
		}
		close(gate)
		script.Clear()
		checked(t, c)
		closeClient(t, c)
	})
}

// TestF60_PagesAreReady: the pages of a segment are brought in by system calls before
// the first put into it, so that the writer takes no page faults.
func TestF60_PagesAreReady(t *testing.T) {
	virtual(t, func(t *testing.T) {
		script := mappedtest.NewScript(mappedtest.NewFS())
		populated := map[string]bool{}
		c := opened(t, script, false, func(o *actorstore.Options) {
			o.MappedFileSizeCommitLog, o.MessageIndexEnable = rollSegment, false
		})
		seen := 0
		look := func() {
			for _, call := range script.Trace() {
				if call.N > seen && call.Op == mappedtest.OpPopulate && call.Err == nil {
					populated[filepath.Base(call.Path)] = true
				}
				seen = max(seen, call.N)
			}
		}
		rolls := 0
		for range 100 {
			look()
			p := c.Put("orders", 0, 3000)
			at := p.Result.PhysicalOffset
			if at%rollSegment == 0 && at > 0 {
				rolls++
				if name := mapped.Name(at); !populated[name] {
					t.Errorf("the pages of segment %s were not there before its first put", name)
				}
			}
			synctest.Wait()
		}
		if rolls < 15 {
			t.Errorf("%d rolls", rolls)
		}
		closeClient(t, c)
	})
}
