package actors

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

func TestPutAndGet(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		want := flusher.Written
		if r.o.FlushDiskType == SyncFlush {
			want = flusher.Flushed
		}
		for i := range 3 {
			result := r.put("a", 0, fmt.Sprint(i))
			if result.Status != flusher.PutOK || result.Durability != want || result.QueueOffset != int64(i) || result.Count != 1 {
				t.Errorf("put %d: %+v", i, result)
			}
		}
		if result := r.put("a", 1, "x"); result.QueueOffset != 0 {
			t.Errorf("another queue starts at %d", result.QueueOffset)
		}
		r.numbered("a", 3)
		r.indexed("a", 3)
		r.reopen(flush)
		r.numbered("a", 3)
		r.indexed("a", 3)
		r.puts("a", 3, 5)
		r.numbered("a", 5)
		r.close()
		r.healthy()
	})
}

// Files are small, so this rolls over segments, queue files and index files.
func TestRollOver(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		const n = 2000
		ring := make([]Pending, 64)
		for i := range n {
			if i >= len(ring) {
				if result, err := ring[i%len(ring)].Wait(r.ctx); err != nil || result.QueueOffset != int64(i-len(ring)) {
					t.Fatalf("put %d: %+v %v", i-len(ring), result, err)
				}
			}
			var err error
			if ring[i%len(ring)], err = r.s.Begin(message("a", 0, fmt.Sprint(i))); err != nil {
				t.Fatal(err)
			}
		}
		for _, p := range ring {
			if _, err := p.Wait(r.ctx); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(r.tree().log().Segments()); n < 4 {
			t.Errorf("only %d segments: the test is too small", n)
		}
		r.numbered("a", n)
		r.indexed("a", n)
		r.reopen(flush)
		r.numbered("a", n)
		r.puts("a", n, n+10)
		r.numbered("a", n+10)
		r.close()
		r.healthy()
	})
}

func TestPutBatch(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		for round := range 3 {
			batch := make([]record.Message, 4)
			for i := range batch {
				batch[i] = *message("a", 0, fmt.Sprint(round*4+i))
			}
			result, err := r.s.PutBatch(r.ctx, batch)
			if err != nil || result.Count != 4 || result.QueueOffset != int64(round*4) {
				t.Fatalf("batch %d: %+v %v", round, result, err)
			}
		}
		if result := r.put("a", 0, "12"); result.QueueOffset != 12 {
			t.Errorf("behind the batches: %d", result.QueueOffset)
		}
		r.numbered("a", 13)
		for name, batch := range map[string][]record.Message{
			"empty":      {},
			"two queues": {*message("a", 0, "x"), *message("a", 1, "x")},
		} {
			if _, err := r.s.PutBatch(r.ctx, batch); statusOf(err) != flusher.MessageIllegal || !errors.Is(err, record.ErrIllegal) {
				t.Errorf("%s: %v", name, err)
			}
		}
		r.numbered("a", 13)
		r.close()
		r.healthy()
	})
}

// Many producers: every put is answered once, offsets are dense in each queue.
func TestPutConcurrently(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		const producers, each = 8, 150
		var seen sync.Map
		var wait sync.WaitGroup
		for p := range producers {
			wait.Go(func() {
				for i := range each {
					m := message("a", int32(i%3), fmt.Sprint(p, "-", i))
					result, err := r.s.Put(r.ctx, m)
					if err != nil {
						t.Error(err)
						return
					}
					if other, dup := seen.LoadOrStore([2]int64{int64(i % 3), result.QueueOffset}, string(m.Body)); dup {
						t.Errorf("%s and %s got the same offset", other, m.Body)
					}
				}
			})
		}
		wait.Wait()
		r.dispatched()
		total := 0
		for q := range int32(3) {
			got := r.bodies("a", q)
			total += len(got)
			for i, body := range got {
				if want, _ := seen.Load([2]int64{int64(q), int64(i)}); want != body {
					t.Fatalf("queue %d offset %d holds %s, answered was %v", q, i, body, want)
				}
			}
		}
		if total != producers*each {
			t.Errorf("%d messages, want %d", total, producers*each)
		}
		r.answered()
		r.close()
		r.healthy()
	})
}

// WAIT=false is answered before the flush, and flushed all the same.
func TestPutWithoutWaiting(t *testing.T) {
	r := open(t, syncFlush)
	m := message("a", 0, "0")
	m.Properties.Set(record.PropertyWait, "false")
	result, err := r.s.Put(r.ctx, m)
	if err != nil || result.Durability != flusher.Written {
		t.Fatalf("%+v %v", result, err)
	}
	eventually(t, "it is flushed without another put", func() bool { return r.tree().log().Flushed() >= result.End() })
	r.numbered("a", 1)
	r.close()
	r.healthy()
}

// A put whose caller leaves is either not stored at all or its outcome is
// unknown, and then it counts nowhere any more.
func TestPutCancelled(t *testing.T) {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	t.Run("before it is taken", func(t *testing.T) {
		r := open(t, asyncFlush)
		hold := r.hold(appendName)
		p, err := r.s.Begin(message("a", 0, "withdrawn"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Wait(ended); !errors.Is(err, context.Canceled) || errors.Is(err, flusher.ErrOutcomeUnknown) {
			t.Errorf("withdrawn: %v", err)
		}
		hold()
		r.puts("a", 0, 1)
		r.numbered("a", 1)
		r.answered()
		if _, err := p.Wait(r.ctx); !errors.Is(err, ErrWaited) {
			t.Errorf("second wait: %v", err)
		}
		r.close()
	})
	t.Run("before the flush", func(t *testing.T) {
		r := open(t, syncFlush)
		hold := r.hold(flusherName)
		p, err := r.s.Begin(message("a", 0, "0"))
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "it is in the log", func() bool { return r.tree().log().Appended() > 0 })
		if _, err := p.Wait(ended); !errors.Is(err, context.Canceled) || !errors.Is(err, flusher.ErrOutcomeUnknown) {
			t.Errorf("abandoned: %v", err)
		}
		hold()
		r.numbered("a", 1)
		r.answered()
		r.close()
	})
	t.Run("at any moment", func(t *testing.T) {
		bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
			r := open(t, flush)
			var sure, unsure atomic.Int64
			var wait sync.WaitGroup
			for p := range 4 {
				wait.Go(func() {
					for i := range 200 {
						ctx, cancel := context.WithCancel(r.ctx)
						pending, err := r.s.Begin(message("a", 0, fmt.Sprint(p, i)))
						if err != nil {
							t.Error(err)
							cancel()
							return
						}
						go cancel()
						switch _, err := pending.Wait(ctx); {
						case err == nil:
							sure.Add(1)
						case errors.Is(err, flusher.ErrOutcomeUnknown):
							unsure.Add(1)
						case !errors.Is(err, context.Canceled):
							t.Error(err)
						}
					}
				})
			}
			wait.Wait()
			r.put("a", 0, "last")
			r.dispatched()
			n := int64(len(r.bodies("a", 0)))
			if least := sure.Load() + 1; n < least || n > least+unsure.Load() {
				t.Errorf("%d messages, %d were answered and of %d nobody knows", n, least, unsure.Load())
			}
			r.answered()
			r.close()
			r.healthy()
		})
	})
}

// F67 through the store: callbacks that sleep, panic or put.
func TestPutAsync(t *testing.T) {
	bothFlushTypes(t, func(t *testing.T, flush func(*Options)) {
		r := open(t, flush)
		gate := make(chan struct{})
		var slow, nested, rest atomic.Int64
		do := func(done func(flusher.PutResult)) {
			t.Helper()
			if err := r.s.PutAsync(message("a", 0, "x"), done); err != nil {
				t.Fatal(err)
			}
		}
		do(func(flusher.PutResult) { <-gate; slow.Add(1) })
		do(func(flusher.PutResult) { panic("callback") })
		do(func(flusher.PutResult) {
			if _, err := r.s.Put(r.ctx, message("a", 0, "nested")); err != nil {
				t.Error(err)
			}
			nested.Add(1)
		})
		for range 200 {
			do(func(p flusher.PutResult) {
				if p.Status == flusher.PutOK {
					rest.Add(1)
				}
			})
		}
		eventually(t, "others go on", func() bool { return rest.Load() == 200 && nested.Load() == 1 })
		if slow.Load() != 0 {
			t.Error("the slow one has ended: the test tests nothing")
		}
		r.put("a", 0, "y")
		close(gate)
		eventually(t, "the slow one ends", func() bool { return slow.Load() == 1 })
		r.close()
		r.healthy()
		if err := r.s.PutAsync(message("a", 0, "late"), func(flusher.PutResult) { t.Error("called") }); statusOf(err) != flusher.ServiceNotAvailable {
			t.Errorf("after close: %v", err)
		}
	})
}

// F66: a disk that stands still costs a bounded number of bytes, and each put is
// answered.
func TestStalledDisk(t *testing.T) {
	r := open(t, syncFlush, func(o *Options) { o.MaxBytesInFlight = 64 << 10 })
	gate := make(chan struct{})
	r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Before: func() { <-gate }})
	var ok, busy, other atomic.Int64
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			for range 40 {
				p, err := r.s.Begin(message("a", 0, string(make([]byte, 1000))))
				if err != nil {
					if statusOf(err) == flusher.OSPageCacheBusy && errors.Is(err, ErrBusy) {
						busy.Add(1)
					} else {
						other.Add(1)
					}
					continue
				}
				wait.Go(func() {
					if _, err := p.Wait(r.ctx); err != nil {
						other.Add(1)
					} else {
						ok.Add(1)
					}
				})
			}
		})
	}
	eventually(t, "puts are refused", func() bool { return busy.Load() > 0 })
	if n := r.tree().admission.inFlight.Load(); n > 64<<10+8*2000 {
		t.Errorf("%d bytes in flight", n)
	}
	close(gate)
	wait.Wait()
	if ok.Load() == 0 || other.Load() != 0 || ok.Load()+busy.Load() != 320 {
		t.Errorf("ok %d, busy %d, other %d", ok.Load(), busy.Load(), other.Load())
	}
	r.put("a", 0, "after")
	r.dispatched()
	if n := int64(len(r.bodies("a", 0))); n != ok.Load()+1 {
		t.Errorf("%d messages, %d were answered", n, ok.Load()+1)
	}
	r.close()
	r.healthy()
}
