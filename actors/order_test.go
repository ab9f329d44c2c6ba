package actors

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
)

// begin starts a put that nobody waits for yet.
func (r *rig) begin(body string) Pending {
	r.t.Helper()
	p, err := r.s.Begin(message("a", 0, body))
	if err != nil {
		r.t.Fatal(err)
	}
	return p
}

// Under SYNC_FLUSH a message can be seen when it is on the disk, not before:
// neither while its flush runs, nor when it was written beside the flush of
// another.
func TestNothingIsSeenBeforeItIsDurable(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, syncFlush)
		syncs := r.holdSyncs()
		seen := func(n int) {
			t.Helper()
			synctest.Wait()
			r.tree().dispatchWake.ring() // it may look
			time.Sleep(time.Second)
			if log := r.tree().log(); log.Confirm() > log.Flushed() {
				t.Errorf("confirm %d, flushed %d", log.Confirm(), log.Flushed())
			}
			if got := r.bodies("a", 0); len(got) != n {
				t.Errorf("%d messages are seen, %d are durable", len(got), n)
			}
		}
		first := r.begin("0")
		seen(0)
		second := r.begin("1")
		r.written()
		seen(0)
		syncs <- struct{}{}
		if _, err := first.Wait(r.ctx); err != nil {
			t.Error(err)
		}
		seen(1)
		close(syncs)
		if _, err := second.Wait(r.ctx); err != nil {
			t.Error(err)
		}
		seen(2)
		r.close()
		r.healthy()
	})
}

// holdSyncs lets each sync of the log wait until it may go on.
func (r *rig) holdSyncs() chan struct{} {
	r.t.Helper()
	synctest.Wait() // the allocator has synced the zeros of the first segment
	syncs := make(chan struct{})
	r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Forever: true, Before: func() { <-syncs }})
	return syncs
}

// written lets what has gathered be written to the log.
func (r *rig) written() {
	r.t.Helper()
	if _, err := r.s.barrier(r.ctx, r.tree(), ""); err != nil {
		r.t.Fatal(err)
	}
}

// A put whose record a flush has covered before the flusher heard of the put is
// answered at once, not behind the next flush.
func TestCoveredBeforeItArrives(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, syncFlush)
		syncs := r.holdSyncs()
		first := r.begin("0")
		synctest.Wait() // in the first flush
		asked := make(chan error, 1)
		go func() { asked <- r.s.Flush(r.ctx) }()
		synctest.Wait() // comes next
		second := r.begin("1")
		r.written()
		syncs <- struct{}{}
		synctest.Wait() // in the flush that was asked for, with the second message
		third := r.begin("2")
		r.written()
		syncs <- struct{}{}
		ctx, cancel := context.WithTimeout(r.ctx, time.Second)
		defer cancel()
		for i, p := range []Pending{first, second} {
			if _, err := p.Wait(ctx); err != nil {
				t.Errorf("put %d is flushed: %v", i, err)
			}
		}
		if err := <-asked; err != nil {
			t.Error(err)
		}
		if log := r.tree().log(); log.Flushed() >= log.Appended() {
			t.Error("the third message was flushed with the second: nothing is shown")
		}
		close(syncs)
		if _, err := third.Wait(r.ctx); err != nil {
			t.Error(err)
		}
		r.close()
		r.healthy()
	})
}

// giveUp ends a test of a store that owes somebody an answer, and so would not
// close by itself.
func (r *rig) giveUp(err error) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.ctx, time.Second)
	defer cancel()
	_ = r.s.Close(ctx)
	r.t.Fatal(err)
}

// Whoever waits for a flush in which the flusher dies is answered: nobody knows
// what came of the message.
func TestFlusherDiesWithThoseWhoWait(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, syncFlush)
		synctest.Wait() // the allocator has synced the zeros of the first segment
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Before: func() { panic("disk") }})
		ctx, cancel := context.WithTimeout(r.ctx, patience)
		defer cancel()
		result, err := r.begin("0").Wait(ctx)
		if result.Status != flusher.FlushDiskTimeout || !errors.Is(err, flusher.ErrOutcomeUnknown) || result.Durability > flusher.Written {
			r.giveUp(fmt.Errorf("%+v, %w", result, err))
		}
		r.answered()
		eventually(t, "puts go on", func() bool { _, err := r.s.Put(r.ctx, message("b", 0, "x")); return err == nil })
		r.puts("a", 1, 2)
		r.numbered("a", 2)
		r.close()
	})
}

// dieInHand lets an actor panic with the next wake, which it has not dealt with.
type dieInHand struct {
	actor string
	armed atomic.Bool
}

func (d *dieInHand) Step(actor string, message Step, done bool) {
	if actor == d.actor && message == StepWake && !done && d.armed.CompareAndSwap(true, false) {
		panic("killed")
	}
}

func (d *dieInHand) Signal(_ string, _ Step, send, _ func()) { send() }

// A wake that dies with the actor which has it in hand is not missed: the actor
// that comes back looks for itself, and the next wake comes through.
func TestWakeDiesWithItsActor(t *testing.T) {
	alone := func(o *Options) { o.HangTimeout = time.Hour } // the watch would help, and late
	t.Run("dispatch", func(t *testing.T) {
		virtual(t, func(t *testing.T) {
			die := &dieInHand{actor: "dispatch"}
			r := open(t, alone, func(o *Options) { o.Faults = die })
			r.puts("a", 0, 1)
			r.numbered("a", 1)
			die.armed.Store(true)
			r.puts("a", 1, 2)
			// Store.Dispatched would ring.
			eventually(t, "the message is seen", func() bool { return len(r.bodies("a", 0)) == 2 })
			r.puts("a", 2, 3)
			eventually(t, "the next one is seen", func() bool { return len(r.bodies("a", 0)) == 3 })
			if r.told("restarted dispatch") != 1 {
				t.Error("it did not fail: the test tests nothing")
			}
			r.close()
		})
	})
	t.Run("append", func(t *testing.T) {
		virtual(t, func(t *testing.T) {
			die := &dieInHand{actor: appendName}
			r := open(t, syncFlush, alone, func(o *Options) { o.Faults = die })
			die.armed.Store(true)
			r.puts("a", 0, 1) // its flush rings
			eventually(t, "it has failed", func() bool { return r.told("restarted append") == 1 })
			time.Sleep(time.Second)
			gate := make(chan struct{})
			r.script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: root + "/commitlog/*", Before: func() { <-gate }})
			first := r.begin("1")
			synctest.Wait() // its flush stands still
			second := r.begin("2")
			synctest.Wait() // and this one has gathered
			close(gate)
			ctx, cancel := context.WithTimeout(r.ctx, patience)
			defer cancel()
			for _, p := range []Pending{first, second} {
				if _, err := p.Wait(ctx); err != nil {
					r.giveUp(err)
				}
			}
			r.numbered("a", 3)
			r.close()
		})
	})
}

// Dispatched is the end of what all have taken in: while the index stands still
// nobody is told that a message has been dispatched, though its queue has it.
func TestDispatchedWaitsForTheIndex(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t)
		gate := make(chan struct{})
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpMap, Path: root + "/index/*", Before: func() { <-gate }})
		r.puts("a", 0, 1)
		synctest.Wait()
		r.tree().dispatchWake.ring()
		synctest.Wait()
		if got := r.bodies("a", 0); len(got) != 1 {
			t.Errorf("%d messages are seen", len(got))
		}
		if at := r.tree().log().Dispatched(); at != 0 {
			t.Errorf("dispatched up to %d, and the index has nothing", at)
		}
		close(gate)
		r.numbered("a", 1)
		r.indexed("a", 1)
		r.close()
		r.healthy()
	})
}

// At whatever moment the process is killed, one of the marks on the disk counts:
// each is written before the page that goes with it, and beside the one before.
func TestMarkCountsAtEveryCut(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t)
		var looks atomic.Int64
		look := func() {
			marks, err := checkpoint.ReadMarks(r.disk, r.layout())
			page, _, perr := checkpoint.ReadCheckpoint(r.disk, r.layout().CheckpointFile())
			if err != nil || perr != nil {
				t.Error(err, perr)
			}
			looks.Add(1)
			for i, m := range marks {
				if m.Matches(page) && (i == 0 || marks[0].Sequence == m.Sequence+1) {
					return
				}
			}
			t.Errorf("none of %+v counts with %+v", marks, page)
		}
		r.puts("a", 0, 1)
		time.Sleep(2 * time.Second) // the first mark
		for _, path := range []string{r.layout().MarkFile(), r.layout().CheckpointFile()} {
			for _, op := range []mappedtest.Op{mappedtest.OpWrite, mappedtest.OpDatasync} {
				r.script.Add(mappedtest.Rule{Op: op, Path: path, Forever: true, Before: look, Then: look})
			}
		}
		for i := 1; i < 10; i++ {
			r.puts("a", i, i+1)
			time.Sleep(2 * time.Second)
		}
		if looks := looks.Load(); looks < 9*8 {
			t.Errorf("%d looks: the test tests nothing", looks)
		}
		r.close()
		r.healthy()
	})
}

// A dispatch actor that fails again and again at one place uses up no windows:
// when it no longer fails it goes on.
func TestWindowsAreGivenBack(t *testing.T) {
	virtual(t, func(t *testing.T) {
		var failures atomic.Int64
		r := open(t)
		synctest.Wait() // a sink that has just been born reads the log by itself
		release := r.hold("dispatch")
		r.tree().o.Events.CorruptionFound = func(error) { // behind the shield
			if failures.Add(1) <= 2*windowCount {
				panic("killed")
			}
		}
		r.puts("a", 0, 1)
		at := r.put("a", 0, "1").PhysicalOffset
		r.puts("a", 2, 3)
		file := r.tree().log().Segments()[0]
		copy(file.Bytes()[at-file.Offset()+4:], "damaged") // its magic code
		release()
		rd, err := r.s.Reader()
		if err != nil {
			t.Fatal(err)
		}
		eventually(t, "the message behind the damage is seen", func() bool {
			end, err := rd.MaxOffset("a", 0)
			return err == nil && end == 3
		})
		if failures.Load() <= 2*windowCount {
			t.Error("it did not fail: the test tests nothing")
		}
		r.close()
	})
}

// The record that the mark on the disk counts by stays in the log, however much
// retention would take: without it the mark says nothing.
func TestRetentionKeepsTheMarksRecord(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, func(o *Options) {
			o.MaxStoreSize = o.MappedFileSizeCommitLog
			o.CleanResourceInterval = 10 * time.Millisecond
		})
		body := strings.Repeat("x", 8000)
		for range 300 {
			r.put("a", 0, body)
			time.Sleep(20 * time.Millisecond)
			least := r.tree().log().Min() // before the mark, which moves on in front of it
			mark, found, err := checkpoint.ReadMark(r.disk, r.layout())
			if err != nil {
				t.Fatal(err)
			}
			if found && mark.LastRecordStart >= 0 && mark.LastRecordStart < least {
				t.Fatalf("the mark counts by the record at %d, the log begins at %d", mark.LastRecordStart, least)
			}
		}
		if r.told("expired") == 0 {
			t.Error("nothing was taken: the test tests nothing")
		}
		r.close()
	})
}

// A summary of the queues waits until the records are durable that their units
// stand for.
func TestSummaryWaitsForTheLog(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := open(t, asyncFlush, func(o *Options) {
			o.FlushIntervalCommitLog, o.FlushConsumeQueueThoroughInterval = time.Hour, time.Second
		})
		claims := func() int64 {
			t.Helper()
			time.Sleep(5 * time.Second)
			s, err := checkpoint.ReadQueues(r.disk, r.layout())
			if err != nil {
				t.Fatal(err)
			}
			if s == nil {
				return 0
			}
			return s.Dispatched
		}
		r.puts("a", 0, 5)
		r.dispatched()
		if at, flushed := claims(), r.tree().log().Flushed(); at > flushed {
			t.Errorf("the summary claims %d, the log is durable up to %d", at, flushed)
		}
		if err := r.s.Flush(r.ctx); err != nil {
			t.Fatal(err)
		}
		if at, end := claims(), r.tree().log().Appended(); at != end {
			t.Errorf("the summary claims %d, all is durable up to %d", at, end)
		}
		r.close()
		r.healthy()
	})
}
