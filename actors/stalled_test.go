package actors

import (
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// crowd is many producers of large bodies, on a disk whose syncs take a
// millisecond of the store's clock.
type crowd struct {
	*rig
	producers int
	body      []byte
	ok, busy  atomic.Int64
}

func (c *crowd) message() *record.Message { return &record.Message{Topic: "a", Body: c.body} }

// each lets every producer put n messages one after the other. What it returns is
// counted by the clock of the bubble: it is the same on any machine.
func (c *crowd) each(n int) (took time.Duration, syncs int) {
	began, before := time.Now(), c.script.Count(mappedtest.OpDatasync)
	var all sync.WaitGroup
	for range c.producers {
		all.Go(func() {
			for range n {
				if _, err := c.s.Put(c.ctx, c.message()); err != nil {
					c.t.Error(err)
				}
				c.ok.Add(1)
			}
		})
	}
	all.Wait()
	return time.Since(began), c.script.Count(mappedtest.OpDatasync) - before
}

// press puts at full speed for so long, whether there is room or not.
func (c *crowd) press(long time.Duration, all *sync.WaitGroup) {
	end := time.Now().Add(long)
	var pressing sync.WaitGroup
	for range c.producers {
		pressing.Go(func() {
			for time.Now().Before(end) {
				p, err := c.s.Begin(c.message())
				if err == nil {
					all.Go(func() {
						if _, err := p.Wait(c.ctx); err != nil {
							c.t.Error(err)
						}
						c.ok.Add(1)
					})
					continue
				}
				if !errors.Is(err, ErrBusy) {
					c.t.Error(err)
				}
				c.busy.Add(1)
				time.Sleep(20 * time.Millisecond)
			}
		})
	}
	pressing.Wait()
}

func (r *rig) turns() (sum int64) {
	w := r.tree().watch
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.list {
		n, _ := e.mailbox.load()
		sum += n
	}
	return sum
}

func live() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// F66: while the disk stands still and producers go on, memory stays within what
// may be in flight, a refusal costs next to nothing, and nobody works. Afterwards
// every put that was accepted is answered once, and the store is as fast as before.
func TestStalledDiskUnderLoad(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const limit = 2 << 20
		c := &crowd{producers: 50, body: make([]byte, 10_000)}
		c.rig = open(t, syncFlush, func(o *Options) {
			o.MaxBytesInFlight, o.HangTimeout, o.ZeroAheadCommitLog = limit, 0, 0
			o.MappedFileSizeCommitLog = 32 << 20 // nothing but puts takes time
			o.MaxHashSlotNum, o.MaxIndexNum = 64, 1<<14
		})
		gate := make(chan struct{})
		var stalled atomic.Bool
		c.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Forever: true, Delay: time.Millisecond, Before: func() {
			if stalled.Load() {
				<-gate
			}
		}})
		c.each(4)
		took, syncs := c.each(4)
		memory, goroutines, answered := live(), runtime.NumGoroutine(), c.ok.Load()

		stalled.Store(true)
		var waiting sync.WaitGroup
		c.press(10*time.Second, &waiting)
		if c.ok.Load() != answered || c.busy.Load() < 50*400 {
			t.Errorf("%d answered, %d refused: the disk does not stand still", c.ok.Load()-answered, c.busy.Load())
		}
		if n := live() - memory; n > 2*limit { // they are in the log already, which is in memory here
			t.Errorf("%d bytes are kept, %d may be in flight", n, limit)
		}
		accepted := int(c.tree().admission.inFlight.Load() / 10_000)
		if n := runtime.NumGoroutine() - goroutines; n > accepted+10 {
			t.Errorf("%d goroutines more, %d wait for answers", n, accepted)
		}
		m := c.message()
		if n := testing.AllocsPerRun(1000, func() { _, _ = c.s.Begin(m) }); n > 3 {
			t.Errorf("a refusal allocates %v times", n)
		}
		turns, calls := c.turns(), c.script.Calls()
		time.Sleep(time.Minute)
		if n, m := c.turns()-turns, c.script.Calls()-calls; n > 60+6+4 || m > 2*6 { // those of a store at rest, and a few
			t.Errorf("%d turns of actors and %d calls to the disk in a minute of waiting", n, m)
		}

		stalled.Store(false)
		began := time.Now()
		close(gate)
		waiting.Wait()
		if n := time.Since(began); n > 2*time.Second {
			t.Errorf("answers came %v after the disk", n)
		}
		if after, more := c.each(4); after > took+took/2 || more > syncs+syncs/2 {
			t.Errorf("200 puts take %v and %d syncs, before %v and %d", after, more, took, syncs)
		}
		c.dispatched()
		if n := int64(len(c.bodies("a", 0))); n != c.ok.Load() {
			t.Errorf("%d messages, %d were answered", n, c.ok.Load())
		}
		c.answered()
		c.close()
	})
}
