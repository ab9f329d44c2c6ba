package actors

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/reader"
)

// Five kills of a sink at rest, however far apart, counted as five failures on the
// same record, and what was put afterwards could not be read until the next start.
func TestSinkKilledAtRestIsNotParked(t *testing.T) {
	for _, name := range []string{"queues-0", indexName} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r := open(t, func(o *Options) { o.QueueShards, o.FlushIntervalCommitLog = 1, time.Second })
				r.puts("a", 0, 3)
				r.dispatched()
				for range 3 * parkAfter {
					r.kill(name)
					time.Sleep(10 * time.Minute)
				}
				if n := r.told("restarted " + name); n != 3*parkAfter {
					t.Errorf("it was killed %d times: %q", n, r.events)
				}
				r.puts("a", 3, 10)
				r.numbered("a", 10)
				r.indexed("a", 10)
				r.close()
			})
		})
	}
}

// Nor is a sink parked that dies again and again before it comes to the record.
func TestSinkKilledInFrontOfARecordIsNotParked(t *testing.T) {
	virtual(t, func(t *testing.T) {
		var kills atomic.Int64
		f := steps(func(name string, m Step, done bool) {
			if name == "queues-0" && m == StepStarted && !done && kills.Add(-1) >= 0 {
				panic("killed")
			}
		})
		r := open(t, func(o *Options) { o.QueueShards, o.Faults = 1, f })
		kills.Store(3 * parkAfter)
		if err := r.s.StopActor("queues-0"); err != nil {
			t.Fatal(err)
		}
		r.puts("a", 0, 3)
		time.Sleep(time.Minute)
		if kills.Load() >= 0 || r.told("parked queues-0") > 0 {
			t.Errorf("%d kills are left: %q", kills.Load(), r.events)
		}
		r.numbered("a", 3)
		r.close()
	})
}

// steps is a seam that only looks at steps.
type steps func(name string, m Step, done bool)

func (f steps) Step(name string, m Step, done bool)   { f(name, m, done) }
func (steps) Signal(_ string, _ Step, send, _ func()) { send() }

// badRecord opens a store with one message whose queue cannot take another one.
func badRecord(t *testing.T) *rig {
	r := open(t, func(o *Options) { o.QueueShards, o.MessageIndexEnable = 2, false })
	r.puts("a", 0, 64) // its file is full
	r.dispatched()
	r.script.Add(mappedtest.Rule{Op: mappedtest.OpRename, Path: root + "/consumequeue/a/0/*", Forever: true, Before: func() { panic("bad record") }})
	return r
}

func (r *rig) parked() string {
	for i := range 2 {
		if name := fmt.Sprint("queues-", i); r.told("parked "+name) == 1 {
			return name
		}
	}
	return ""
}

// Of a parked sink only its event told: Dispatched said that all can be read.
func TestParkedIsTold(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := badRecord(t)
		if err := r.s.Dispatched(r.ctx); err != nil {
			t.Error(err)
		}
		end := r.tree().log().Appended()
		r.put("a", 0, "64")
		time.Sleep(time.Minute)
		name := r.parked()
		if name == "" {
			t.Fatalf("%q", r.events)
		}
		err := r.s.Dispatched(r.ctx)
		var parked *ParkedError
		if !errors.Is(err, ErrParked) || !errors.As(err, &parked) || len(parked.Actors) != 1 || parked.Actors[0].Actor != name {
			t.Errorf("dispatched: %v", err)
		}
		state, err := r.s.State()
		if err != nil || len(state.Parked) != 1 || state.Parked[0] != (Parked{name, end, "bad record"}) {
			t.Errorf("state %+v %v", state, err)
		}
		answer, err := r.s.system.Root.RequestFuture(r.s.PID(), &GetState{}, patience).Result()
		if err != nil || len(answer.(*StateReply).State.Parked) != 1 {
			t.Errorf("asked for its state: %+v %v", answer, err)
		}
		r.put("a", 1, "0") // the other shard's
		if other := r.s.Dispatched(r.ctx); !errors.Is(other, ErrParked) || len(r.bodies("a", 1)) != 1 {
			t.Errorf("dispatched: %v, the other queue has %q", other, r.bodies("a", 1))
		}
		if err := r.s.DeleteTopic(r.ctx, "a"); err != nil {
			t.Errorf("delete: %v", err)
		}
		r.script.Clear()
		r.leaky = true // a panic in the middle of a call to the disk
		r.reopen()
		r.put("a", 0, "again")
		r.dispatched()
		if state, err := r.s.State(); err != nil || len(state.Parked) > 0 {
			t.Errorf("opened again: %+v %v", state, err)
		}
		r.close()
	})
}

// An actor that fails every ten seconds or less often never waited for longer than
// after its first failure, though it had got nothing done.
func TestSlowFailuresCount(t *testing.T) {
	virtual(t, func(t *testing.T) {
		var fails, failures atomic.Int64
		r := open(t, func(o *Options) {
			o.CleanResourceInterval, o.FlushIntervalCommitLog = 2*backOffReset, time.Second
			o.Faults = steps(func(name string, m Step, done bool) {
				if name == retentionName && m == StepTick && !done && fails.Add(-1) >= 0 {
					panic("retention")
				}
			})
		})
		r.s.o.Events.ActorRestarted = func(e ActorEvent) { failures.Store(int64(e.Failures)) }
		fails.Store(6)
		time.Sleep(8 * 2 * backOffReset)
		if n := failures.Load(); n != 6 {
			t.Errorf("of six failures %d count", n)
		}
		time.Sleep(20 * backOffReset) // it works
		fails.Store(1)
		time.Sleep(3 * backOffReset)
		if n := failures.Load(); n != 1 {
			t.Errorf("%d failures count behind a hundred seconds of work", n)
		}
		r.close()
	})
}

// Who waited for a message of a parked shard, acknowledged long ago, did so until his
// context ended.
func TestNobodyWaitsForTheParked(t *testing.T) {
	virtual(t, func(t *testing.T) {
		r := badRecord(t)
		n, err := r.s.Notifier()
		if err != nil {
			t.Fatal(err)
		}
		rd, err := r.s.Reader()
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(r.ctx, time.Minute)
		defer cancel()
		poll := func(queue int32, offset int64) error {
			var result reader.GetResult
			err := rd.Poll(ctx, n, reader.GetRequest{Topic: "a", QueueID: queue, Offset: offset, MaxCount: 1}, &result)
			if err == nil && len(result.Messages) != 1 {
				err = errors.New("no message")
			}
			return err
		}
		early, other := make(chan error, 2), make(chan error, 1)
		go func() { early <- poll(0, 64) }()
		go func() { early <- n.Wait(ctx, "a", 0, 64) }()
		go func() { other <- poll(1, 0) }()
		time.Sleep(time.Second)
		r.put("a", 0, "64")
		for range cap(early) {
			if err := <-early; !errors.Is(err, ErrParked) {
				t.Errorf("waited when it was parked: %v", err)
			}
		}
		if err := poll(0, 64); !errors.Is(err, ErrParked) {
			t.Errorf("polled behind that: %v", err)
		}
		if err := n.Wait(ctx, "a", 0, 1000); !errors.Is(err, ErrParked) {
			t.Errorf("waited behind that: %v", err)
		}
		if err := errors.Join(poll(0, 63), n.Wait(ctx, "a", 0, 63)); err != nil {
			t.Errorf("what is there: %v", err)
		}
		r.put("a", 1, "0")
		if err := <-other; err != nil {
			t.Errorf("another shard's: %v", err)
		}
		r.script.Clear()
		r.leaky = true
		r.close()
	})
}
