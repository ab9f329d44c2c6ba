package sim

import "github.com/actorstore/actorstore/progress"

// writesProgress is what the checkpoint actor goes on from.
func (l *life) writesProgress() *progress.Writer {
	return progress.New(progress.Options{
		FS: l.w.script, Layout: l.layout, Log: l.log, Queues: l.queues, Index: l.index,
		SyncFlush: l.sync, Interval: l.w.setup.o.FlushConsumeQueueThoroughInterval, ReadOnly: l.report.ReadOnly != nil,
	}, l.report.Checkpoint, l.report.Last)
}

// checkpoint is a pass of the checkpoint actor. An error is its end, and it comes
// back.
func (l *life) checkpoint() {
	l.lastIsThere()
	if err := l.progress.Pass(l.look(), l.w.steady()); err != nil && !injected(err) {
		l.w.fail("checkpoint on a healthy disk: %v", err)
	}
}

// finishProgress is what a close writes down.
func (l *life) finishProgress() error {
	l.lastIsThere()
	return l.progress.Finish(l.look(), l.w.steady())
}

// lastIsThere wants the last durable record in the log, which the mark counts by.
func (l *life) lastIsThere() {
	start, end, ok := l.log.FlushedRecord()
	if !ok {
		return
	}
	if err := l.log.Reader().View(start, int(end-start), func([]byte) error { return nil }); err != nil {
		l.w.fail("the last durable record cannot be read: %v", err)
	}
}

// look is how far the sinks have come.
func (l *life) look() progress.Look {
	at := progress.Look{Last: l.dispatched, Queues: l.queuesApplied(), Index: -1}
	if l.index != nil {
		at.Index = l.sinks[len(l.sinks)-1].Applied()
	}
	return at
}

// queuesApplied is the end of the log that all queues hold.
func (l *life) queuesApplied() int64 {
	least := l.log.Confirm()
	for _, s := range l.sinks {
		if s.name != indexName {
			least = min(least, s.Applied())
		}
	}
	return least
}
