package sim

import (
	"context"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/retention"
)

// forEver is the age of expiry where messages are kept for ever.
const forEver = 100 * 365 * 24 * time.Hour

func (l *life) startKeeper() {
	o := &l.w.setup.o
	reserved := o.FileReservedTime
	if reserved == 0 {
		reserved = forEver
	}
	core, err := retention.New(retention.Policy{
		FileReservedTime: reserved, DeleteWhen: o.DeleteWhen,
		DiskMaxUsedSpaceRatio: o.DiskMaxUsedSpaceRatio, DiskSpaceCleanForciblyRatio: o.DiskSpaceCleanForciblyRatio,
		DiskSpaceWarningLevelRatio: o.DiskSpaceWarningLevelRatio, CleanFileForciblyEnable: o.CleanFileForciblyEnable,
		MaxStoreSize: o.MaxStoreSize, DeleteFileBatchMax: o.DeleteFileBatchMax,
	})
	if err != nil {
		l.w.fail("retention: %v", err)
	}
	core.Open(l.log.Appended(), retention.Now{Wall: l.w.now()})
	l.keeper.core = core
	l.restartKeeper()
}

// restartKeeper is a new retention actor; the core is older than it.
func (l *life) restartKeeper() {
	l.keeper = keeper{core: l.keeper.core, survey: retention.NewSurvey(l.log.Reader()),
		cleaner: &retention.Cleaner{Log: l.log, Queues: l.queues, Index: l.index}}
}

// retain asks the core what goes. It goes in a step of its own, when the decision
// may be stale.
func (l *life) retain() {
	w := l.w
	d := l.keepStep()
	if len(d.Unread) > 0 {
		l.keeper.survey.Learn(l.keeper.survey.Read(context.Background(), d.Unread))
		d = l.keepStep()
	}
	l.refusing = d.RefusePuts
	for _, e := range d.Expired {
		w.done.Expired++
		w.trace.note("segment %d goes: %v", e.Offset, e.Reason)
		if e.Reason == retention.Age && !w.jumped && w.mono-w.written[e.Offset] < w.setup.o.FileReservedTime {
			w.fail("segment %d expired at an age of %v", e.Offset, w.mono-w.written[e.Offset])
		}
	}
	if len(d.Expired) > 0 || l.keeper.cleaner.Unfinished() {
		l.keeper.below, l.keeper.pending = d.ExpireBelow, true
	}
}

func (l *life) keepStep() retention.Decision {
	w, log := l.w, l.log
	segments := l.keeper.survey.Segments()
	newest := int64(0)
	for _, s := range segments {
		newest = max(newest, s.Last)
	}
	return l.keeper.core.Step(retention.State{
		Segments: segments, Newest: newest, Appended: log.Appended(), Flushed: min(log.Flushed(), l.progress.Proven()),
		Confirm: log.Confirm(), Dispatched: log.Dispatched(), LogDisk: l.usage(l.layout.CommitLog()), QueueDisk: l.usage(l.layout.ConsumeQueue()),
	}, retention.Now{Wall: w.now(), Elapsed: w.mono - time.Duration(l.began)})
}

func (l *life) usage(dir string) mapped.DiskUsage {
	u, err := l.w.script.DiskUsage(dir)
	if err != nil {
		return mapped.DiskUsage{}
	}
	return u
}

// expire takes segments away.
func (l *life) expire() {
	l.keeper.pending = false
	if _, err := l.keeper.cleaner.Expire(l.keeper.below); err != nil && !injected(err) {
		l.w.fail("expire on a healthy disk: %v", err)
	}
}

// follow lets some queues go after the log.
func (l *life) follow() {
	if _, err := l.keeper.cleaner.Follow(1 + l.w.rng.IntN(4)); err != nil && !injected(err) {
		l.w.fail("queues do not follow on a healthy disk: %v", err)
	}
}
