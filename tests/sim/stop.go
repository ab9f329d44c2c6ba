package sim

import (
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/progress"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// restless is after how many rounds a store that does not come to rest is stuck.
const restless = 300

// rest heals the disk and lets everybody work until nothing is left to do: every
// put is answered, and queues and index hold all that may be seen.
func (w *world) rest() {
	w.heal()
	l := w.l
	for round := 0; ; round++ {
		if l.pairDown {
			l.pairUp()
		}
		l.restPair()
		if l.away {
			l.startDispatch()
		}
		for _, s := range l.downSinks() {
			s.start()
		}
		l.wake = true
		l.dispatch()
		for _, s := range l.sinks {
			for len(s.box) > 0 && !s.down {
				l.take(s)
			}
		}
		if w.dead {
			return
		}
		w.answers()
		if l.quiet() {
			break
		}
		if round == restless {
			w.fail("the store does not come to rest: %v, dispatch away %t, %d puts unanswered, %d in the mailbox",
				w.marks(), l.away, len(l.flight), len(l.mailbox))
		}
	}
	if len(l.flight) > 0 {
		w.fail("message %d is never answered", l.flight[0].sent[0].Serial)
	}
}

// restPair lets append and flusher do all that is there.
func (l *life) restPair() {
	l.encode(len(l.mailbox))
	if len(l.encoded) > 0 {
		l.publish()
	}
	if len(l.published) > 0 {
		l.handOver()
	}
	if len(l.chains) > 0 || l.sync && l.owes() {
		l.flush()
	}
	if l.covered {
		l.answerFlushed()
	}
}

func (l *life) quiet() bool {
	if len(l.mailbox)+len(l.encoded)+len(l.published)+len(l.chains)+len(l.inbox) > 0 || l.covered || l.gate.Waiting() > 0 || l.away {
		return false
	}
	for _, s := range l.sinks {
		if s.down || s.away || len(s.box) > 0 {
			return false
		}
	}
	end := l.log.Confirm()
	return l.log.Dispatched() == end && (end == l.log.Appended() || l.log.Failed() != nil)
}

// quiet is a moment of rest in the middle of a life: what was acknowledged stands
// where its answer said.
func (w *world) quiet() {
	w.rest()
	l := w.l
	if w.dead || l.log.Failed() != nil || l.deletes > 0 || l.log.Min() != l.least {
		return
	}
	w.looking = true
	err := w.model.Present(background, l.reader)
	w.looking = false
	if err != nil {
		w.fail("at rest: %v", err)
	}
}

// close ends the process in order. The abort marker stays if anything fails.
func (w *world) close() {
	l := w.l
	for len(l.flight) > 0 && !w.dead { // those that were accepted are answered first
		if l.pairDown {
			l.pairUp()
		}
		n := len(l.flight)
		l.restPair()
		w.answers()
		if len(l.flight) == n && len(l.mailbox)+len(l.encoded)+len(l.published)+len(l.chains) == 0 && !l.covered {
			break
		}
	}
	if w.dead {
		return
	}
	for _, p := range l.flight {
		if !p.left {
			w.fail("message %d is not answered at the end", p.sent[0].Serial)
		}
	}
	err := l.finish()
	if w.dead {
		return
	}
	if err != nil && !injected(err) {
		w.fail("close on a healthy disk: %v", err)
	}
	flushed := l.log.Flushed()
	if e := l.release(); e != nil && !injected(e) {
		w.fail("close on a healthy disk: %v", e)
	}
	if w.dead {
		return
	}
	w.l = nil
	w.leaks()
	w.trace.note("closed: %v", err)
	w.model.Synced(flushed)
	cut := oracle.Killed
	if err == nil && !w.unclear {
		cut = oracle.Closed
	}
	w.heal()
	w.cut = plannedCut{}
	w.stopped(cut)
	w.owed.flushed = flushed
	switch w.rng.IntN(4) {
	case 0: // and the machine is switched off
		w.planCut(1)
		w.call()
	case 1: // or the kernel forgets what a failed sync let go
		w.owed.cut = max(w.owed.cut, oracle.PowerCut)
		w.insert(w.fs.DropCaches())
		w.trace.note("caches dropped")
	}
}

// finish flushes, dispatches what is left, writes down that all is well and
// removes the abort marker.
func (l *life) finish() error {
	steps := []func() error{
		func() error {
			if l.doubtful {
				return l.recoverTail()
			}
			return nil
		},
		func() error { return l.log.Syncer().Flush() },
		func() error { l.log.SetConfirm(l.log.Flushed()); return l.dispatchRest() },
		l.log.DropUnused,
		l.finishProgress,
		func() error { return checkpoint.RemoveAbort(l.w.script, l.layout) },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// dispatchRest applies what the actors had not come to.
func (l *life) dispatchRest() error {
	reput := dispatch.NewReput(l.log.Reader(), l.queues, l.rules(), l.applied())
	w := &dispatch.Window{}
	for reput.Pos() < l.log.Confirm() {
		if err := reput.Read(w, l.log.Confirm()); err != nil {
			return err
		}
		for _, s := range l.sinks {
			if err := s.core.Apply(w); err != nil {
				return err
			}
		}
		if w.LastRecord >= 0 {
			l.dispatched = &progress.Record{Start: w.LastRecord, End: w.End, StoreTimestamp: w.LastTimestamp}
		}
	}
	l.log.SetDispatched(l.log.Confirm())
	return nil
}
