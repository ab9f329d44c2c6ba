package actors

import (
	"fmt"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/flusher"
)

// flushActor makes the log durable and answers the puts that wait for it. Under
// SYNC_FLUSH each flush covers all chains that came in while the last one ran;
// under ASYNC_FLUSH it flushes at an interval.
type flushActor struct {
	t       *tree
	disk    *commitlog.Syncer
	gate    flusher.Gate
	policy  flusher.Policy
	mailbox *batchMailbox[*chain]
	ticker  *ticker
}

// flushNow asks for a flush of everything that is appended by now.
type flushNow struct{ reply func(error) }

// Receive is the actor.
func (f *flushActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *batch[*chain]:
		for _, c := range m.items {
			f.gate.Add(&c.Chain)
			chains.Put(c)
		}
		f.t.step(flusherName, StepPuts, false)
		if f.t.writable() == nil {
			f.answer() // the flush before may have covered them: they owe nothing to the next one
		}
		f.flush()
	case *tick:
		m.took()
		if f.policy.Step(time.Now(), f.t.rooms.log.Flushed(), f.t.rooms.log.Appended()) {
			f.flush()
		}
	case *flushNow:
		answered := false
		defer func() {
			if !answered { // it panicked
				m.reply(flusher.ErrOutcomeUnknown)
			}
		}()
		f.t.step(flusherName, StepFlush, false)
		f.flush()
		answered = true
		m.reply(f.t.writable())
	case *actor.Started:
		f.start(ctx)
	case *actor.Restarting, *actor.Stopping:
		f.ticker.stop()
		f.t.quietly(func() { f.abort(f.t.writable()) })
	case *actor.Stopped:
		f.t.quietly(func() { f.mailbox.Close(f.t.refuse) })
	}
}

func (f *flushActor) start(ctx actor.Context) {
	o := &f.t.o
	f.disk = f.t.rooms.log.Syncer()
	f.policy = flusher.Policy{
		Interval: o.FlushIntervalCommitLog, LeastPages: o.FlushCommitLogLeastPages,
		ThoroughInterval: o.FlushCommitLogThoroughInterval,
	}
	if o.FlushDiskType == AsyncFlush {
		f.ticker = every(f.t.system, ctx.Self(), o.FlushIntervalCommitLog, o.Faults)
	} else if log := f.t.log(); f.t.writable() == nil && log.Flushed() < log.Appended() {
		f.flush() // what my predecessor left: nobody else would ask for it
	}
}

// flush syncs what is appended and answers whom it covers. The first failure
// answers everybody and is final (I7).
func (f *flushActor) flush() {
	log := f.t.rooms.log
	if err := f.sync(); err != nil {
		defer f.t.failed(err) // behind the answers, whatever those come to
		f.abort(err)
		return
	}
	if f.t.o.FlushDiskType != SyncFlush {
		return
	}
	log.SetConfirm(log.Flushed())
	f.t.idle() // what has gathered is written while the answers go out
	f.t.dispatchWake.ring()
	f.answer()
}

// answer settles the puts that are durable.
func (f *flushActor) answer() {
	done := f.gate.Release(f.t.rooms.log.Flushed())
	f.t.each(&done, func(w *flusher.Waiter) {
		w.Result.Durability = flusher.Flushed
		w.Settle()
	})
}

// sync lets the watch know that the disk is at work.
func (f *flushActor) sync() error {
	f.t.syncing.Store(true)
	defer f.t.syncing.Store(false)
	return f.disk.Flush()
}

// abort answers all waiting puts: written, but not known to be durable.
func (f *flushActor) abort(cause error) {
	if cause == nil {
		cause = fmt.Errorf("flusher stopped: %w", flusher.ErrOutcomeUnknown)
	}
	f.t.idle()
	all := f.gate.Abort()
	f.t.each(&all, func(w *flusher.Waiter) {
		w.Fail(flusher.FlushDiskTimeout, &PutError{flusher.FlushDiskTimeout, cause})
	})
}

// each settles the puts of a chain and gives their bytes back. Should one panic, or
// end the goroutine, those behind it are settled on the way out.
func (t *tree) each(c *flusher.Chain, settle func(*flusher.Waiter)) {
	var released int64
	defer func() {
		if released != 0 {
			t.admission.leave(released)
		}
		if !c.Empty() {
			t.each(c, settle)
		}
	}()
	c.Each(func(w *flusher.Waiter) {
		released += w.Weight
		settle(w)
	})
}
