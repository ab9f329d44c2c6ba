package actors

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

// virtual runs a test in a bubble of virtual time. Requests are pooled and carry
// a channel, which must not leave its bubble: two collections empty the pool.
func virtual(t *testing.T, run func(t *testing.T)) {
	drain := func() { runtime.GC(); runtime.GC() }
	drain()
	defer drain()
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(ended) }) // behind those of run
		run(t)
	})
}

// ended is how long a bubble waits at its end for protoactor's throttle of dead
// letters.
const ended = 2 * time.Second

// Within a second mark and checkpoint page follow the log, and agree with it.
func TestMarkFollows(t *testing.T) {
	for name, flush := range map[string]func(*Options){"async": asyncFlush, "sync": syncFlush} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r := open(t, flush, func(o *Options) { o.FlushConsumeQueueThoroughInterval = 10 * time.Second })
				for round := range 30 {
					r.puts("a", round, round+1)
					time.Sleep(2 * time.Second)
					log := r.tree().log()
					if log.Flushed() != log.Appended() || log.Dispatched() != log.Appended() {
						t.Fatalf("at rest: flushed %d, dispatched %d, appended %d", log.Flushed(), log.Dispatched(), log.Appended())
					}
					mark, ok, err := checkpoint.ReadMark(r.disk, r.layout())
					if err != nil || !ok || mark.FlushedEnd != log.Flushed() {
						t.Fatalf("round %d: mark %+v %v %v, flushed %d", round, mark, ok, err, log.Flushed())
					}
					page, ok, err := checkpoint.ReadCheckpoint(r.disk, r.layout().CheckpointFile())
					if err != nil || !ok || !mark.Matches(page) {
						t.Fatalf("round %d: page %+v %v %v does not match mark %+v", round, page, ok, err, mark)
					}
					rd, _ := r.s.Reader()
					m, err := rd.Lookup(r.ctx, mark.LastRecordStart)
					if err != nil || m.StoreTimestamp != page.PhysicMsgTimestamp || m.QueueOffset != int64(round) {
						t.Fatalf("round %d: the marked record is %+v %v", round, m, err)
					}
					if page.LogicsPhysicalOffset > mark.LastRecordStart {
						t.Fatalf("round %d: the page claims %d of the queues", round, page.LogicsPhysicalOffset)
					}
				}
				s, err := checkpoint.ReadQueues(r.disk, r.layout())
				if err != nil || s == nil || s.Dispatched == 0 || s.Queues[0].MaxOffset < 24 {
					t.Errorf("summary %+v %v", s, err)
				}
				end := r.tree().log().Appended()
				r.close()
				s, err = checkpoint.ReadQueues(r.disk, r.layout())
				if err != nil || s.Dispatched != end || s.IndexApplied != end || s.Queues[0].MaxOffset != 30 {
					t.Errorf("summary after a clean close %+v %v, the log ends at %d", s, err, end)
				}
				r.healthy()
			})
		})
	}
}

// A sync of the queues that failed is not tried again and nothing is claimed any
// more: the next start recovers.
func TestSummaryFails(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, func(o *Options) { o.FlushConsumeQueueThoroughInterval = time.Second })
		r.puts("a", 0, 5)
		time.Sleep(3 * time.Second)
		before, err := checkpoint.ReadQueues(r.disk, r.layout())
		if err != nil || before == nil {
			t.Fatal(before, err)
		}
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: "queuefile-*", Err: syscall.EIO},
			mappedtest.Rule{Op: mappedtest.OpSyncFS, Err: syscall.EIO})
		r.puts("a", 5, 10)
		time.Sleep(10 * time.Second)
		if n := r.told("restarted checkpoint"); n != 1 {
			t.Errorf("the checkpoint actor failed %d times, want once", n)
		}
		r.puts("a", 10, 20)
		r.numbered("a", 20)
		time.Sleep(10 * time.Second)
		after, err := checkpoint.ReadQueues(r.disk, r.layout())
		if err != nil || after.Dispatched != before.Dispatched {
			t.Errorf("summary %+v %v after a sync failed; before %+v", after, err, before)
		}
		if err := r.s.Close(r.ctx); err == nil || !r.aborted() {
			t.Errorf("close: %v", err)
		}
		r.crash()
		r.numbered("a", 20)
		r.close()
	})
}

// F59: at rest nothing happens but a look at the disk every 10 s; one put a
// second costs a few calls.
func TestIdle(t *testing.T) {
	for name, flush := range map[string]func(*Options){"async": asyncFlush, "sync": syncFlush} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				var looks atomic.Int64
				r := open(t, flush, func(o *Options) {
					o.FlushIntervalCommitLog = 500 * time.Millisecond
					now := o.Now
					o.Now = func() time.Time { looks.Add(1); return now() }
				})
				r.puts("a", 0, 1)
				time.Sleep(2 * time.Minute)
				calls, seen := r.script.Calls(), looks.Load()
				time.Sleep(time.Hour)
				if n := r.script.Calls() - calls; n > 3*360 {
					t.Errorf("%d calls to the disk in an idle hour:\n%s", n, r.script.TraceString())
				}
				if n := looks.Load() - seen; n > 361 {
					t.Errorf("%d looks at the clock in an idle hour", n)
				}
				calls = r.script.Calls()
				for i := range 600 {
					r.puts("a", 1+i, 2+i)
					time.Sleep(time.Second)
				}
				if n := (r.script.Calls() - calls) / 600; n > 25 {
					t.Errorf("%d calls to the disk for each put", n)
				}
				r.close()
				r.healthy()
			})
		})
	}
}

// F56: steps of the wall clock change record timestamps and nothing else.
func TestClockSteps(t *testing.T) {
	var step atomic.Int64
	r := open(t, syncFlush, func(o *Options) {
		o.Now = func() time.Time { return time.Now().Add(time.Duration(step.Load())) }
		o.CleanResourceInterval = time.Millisecond
	})
	for i := range 200 {
		step.Store(int64([]time.Duration{0, time.Hour, -time.Hour, 5 * time.Millisecond, -5 * time.Millisecond}[i%5]))
		if result := r.put("a", 0, fmt.Sprint(i)); result.Durability != flusher.Flushed {
			t.Fatalf("%+v", result)
		}
	}
	r.numbered("a", 200)
	r.reopen()
	r.numbered("a", 200)
	r.close()
	r.healthy()
}

// What has expired goes while the store runs: the log's minimum moves, queues
// and index follow, and who is reading goes on reading.
func TestRetention(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, func(o *Options) {
			o.FileReservedTime = time.Hour
			o.DeleteWhen = "00;01;02;03;04;05;06;07;08;09;10;11;12;13;14;15;16;17;18;19;20;21;22;23"
		})
		body := strings.Repeat("x", 2000)
		const old = 200
		for range old {
			r.put("a", 0, body)
		}
		r.put("once", 0, "0")
		r.dispatched()
		rd, err := r.s.Reader()
		if err != nil {
			t.Fatal(err)
		}
		if n := r.found("a", "k-"+body); n == 0 {
			t.Fatal("no key")
		}
		time.Sleep(40 * time.Minute)
		for range 100 {
			r.put("a", 0, body)
		}
		r.dispatched()
		expired := false
		var inside, after int
		_, err = rd.View(r.ctx, reader.GetRequest{Topic: "a", MaxCount: 8, MaxBytes: 1 << 20}, func(m *record.MessageExt) error {
			if !expired {
				time.Sleep(10 * time.Minute)
				expired = r.told("expired") > 0
			}
			inside++
			if string(m.Body) == body {
				after++
			}
			return nil
		})
		if !expired {
			t.Fatal("nothing has expired")
		}
		if inside == 0 || inside != after {
			t.Errorf("a reader that was inside saw %d messages, %d of them whole (%v)", inside, after, err)
		}
		log := r.tree().log()
		if log.Min() == 0 || log.Segments()[0].Offset() != log.Min() {
			t.Errorf("the log starts at %d", log.Min())
		}
		least, err := rd.MinOffset("a", 0)
		if err != nil || least == 0 || least > old {
			t.Errorf("the queue starts at %d %v", least, err)
		}
		if got := len(r.bodies("a", 0)); got != old+100-int(least) {
			t.Errorf("%d messages are readable from %d on", got, least)
		}
		if _, err := rd.Lookup(r.ctx, 0); err == nil {
			t.Error("an expired message is found")
		}
		var result reader.GetResult
		if err := rd.Get(r.ctx, reader.GetRequest{Topic: "a"}, &result); err != nil || result.Status != reader.OffsetTooSmall {
			t.Errorf("get of an expired offset: %v %v", result.Status, err)
		}
		r.puts("once", 1, 3)
		r.reopen(func(o *Options) { o.FileReservedTime = time.Hour })
		if again, err := func() (int64, error) { rd, _ := r.s.Reader(); return rd.MinOffset("a", 0) }(); err != nil || again != least {
			t.Errorf("after reopening the queue starts at %d %v, before at %d", again, err, least)
		}
		r.close()
	})
}

// F23: everybody who waits for an offset is woken when it is readable, nobody
// earlier, and Close ends the rest.
func TestWaitersAreWoken(t *testing.T) {
	r := open(t)
	n, err := r.s.Notifier()
	if err != nil {
		t.Fatal(err)
	}
	rd, _ := r.s.Reader()
	const waiters = 200
	errs := make(chan error, 3*waiters)
	for i := range waiters {
		offset := int64(waiters - 1 - i)
		go func() {
			err := n.Wait(r.ctx, "a", 0, offset)
			if err == nil {
				if most, _ := rd.MaxOffset("a", 0); most <= offset {
					err = fmt.Errorf("woken for %d, the queue ends at %d", offset, most)
				}
			}
			errs <- err
		}()
	}
	late := make(chan error, 1)
	go func() { late <- n.Wait(r.ctx, "a", 0, waiters) }()
	eventually(t, "all wait", func() bool { return n.Waiting() == waiters+1 })
	r.puts("a", 0, waiters)
	for range waiters {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	select {
	case err := <-late:
		t.Errorf("woken for an offset that is not there: %v", err)
	default:
	}
	r.close()
	if err := <-late; !errors.Is(err, ErrClosed) {
		t.Errorf("a waiter at close: %v", err)
	}
}
