package sim

import (
	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/flusher"
)

// startPair starts append and flusher on a log whose end is known.
func (l *life) startPair() {
	o := &l.w.setup.o
	l.inner = map[queueName]bool{}
	l.out = l.log.Appender(l.alloc, l.offsets)
	l.disk = l.log.Syncer()
	l.gate = flusher.Gate{}
	l.policy = flusher.Policy{Interval: o.FlushIntervalCommitLog, LeastPages: o.FlushCommitLogLeastPages,
		ThoroughInterval: o.FlushCommitLogThoroughInterval}
	l.pairDown = false
	if l.log.Failed() != nil {
		return
	}
	if !l.sync && l.log.Confirm() < l.log.Appended() {
		l.log.SetConfirm(l.log.Appended())
		l.wake = true
	}
	if l.sync && l.log.Confirm() < l.log.Appended() {
		l.flush()
	}
}

// flush syncs what is appended; the answers are a step of their own. While the
// disk is busy others go on.
func (l *life) flush() {
	for i := range l.chains {
		l.gate.Add(&l.chains[i])
	}
	l.chains = l.chains[:0]
	if l.w.plant == AckBeforeFlush {
		l.letGo(l.log.Appended())
	}
	failed := l.log.Failed()
	if l.w.rng != nil && l.w.rng.IntN(3) == 0 {
		l.besideSync = 1 + l.w.rng.IntN(3)
	}
	err := l.disk.Flush()
	l.besideSync = 0
	if err != nil && l.w.plant == RetryFlush {
		l.log.SetConfirm(l.log.Appended())
		l.letGo(l.log.Appended())
		return
	}
	if err != nil {
		l.abort(err)
		l.failed(err)
		return
	}
	if failed != nil {
		l.w.fail("a flush after a failed one succeeds")
	}
	l.covered = l.sync
}

// answerFlushed answers whom the flush covers.
func (l *life) answerFlushed() {
	l.covered = false
	l.log.SetConfirm(l.log.Flushed())
	l.wake = true
	l.letGo(l.log.Flushed())
}

func (l *life) letGo(end int64) {
	done := l.gate.Release(end)
	done.Each(func(w *flusher.Waiter) {
		w.Result.Durability = flusher.Flushed
		w.Settle()
	})
}

// abort answers all waiting puts: written, but not known to be durable.
func (l *life) abort(cause error) {
	for i := range l.chains {
		l.gate.Add(&l.chains[i])
	}
	l.chains = l.chains[:0]
	all := l.gate.Abort()
	all.Each(func(w *flusher.Waiter) { w.Fail(flusher.FlushDiskTimeout, cause) })
}

// tick is the flusher's under ASYNC_FLUSH.
func (l *life) tick() {
	if l.policy.Step(l.w.steady(), l.log.Flushed(), l.log.Appended()) {
		l.flush()
	}
}

// pairDies kills append and flusher, whose memory is one truth.
func (l *life) pairDies() {
	l.pairDown, l.doubtful, l.covered = true, true, false
	l.w.done.Restarts++
	l.encoded = append(l.published, l.encoded...)
	l.published = nil
	rest := l.mailbox
	l.mailbox = nil
	l.settle(rest)
	cause := l.log.Failed()
	if cause == nil {
		cause = flusher.ErrOutcomeUnknown
	}
	l.abort(cause)
}

// pairUp makes the end of the log sure and starts them again.
func (l *life) pairUp() {
	if err := l.recoverTail(); err != nil {
		l.log.Fail(err)
		l.failed(err)
	}
	l.startPair()
}

func (l *life) recoverTail() error {
	if l.log.Failed() != nil {
		return nil
	}
	if l.w.plant != SkipCut {
		if _, err := l.log.Cut(l.log.Appended(), l.keepAside); err != nil {
			return err
		}
	}
	from := l.log.Dispatched()
	for _, s := range l.sinks {
		from = min(from, s.Applied())
	}
	if l.w.plant == KeepOffsets {
		return nil
	}
	offsets, err := dispatch.NextOffsets(l.log.Reader(), l.queues, l.rules(), from)
	if err != nil {
		return err
	}
	l.offsets = offsets
	return nil
}
