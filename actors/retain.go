package actors

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/retention"
)

// errDiskWarning is why puts are refused when a disk is nearly full.
var errDiskWarning = errors.New("use is above DiskSpaceWarningLevelRatio")

const (
	followBatch = 256                   // queues that follow the log's minimum at once
	followPause = 10 * time.Millisecond // and then others have a turn
)

// follow asks for the next batch of queues.
type follow struct{}

// removed tells the retention actor that segments were taken away.
type removed struct {
	first  int64
	reason string // of their expiry, "" if it was only tried again
	err    error
}

// surveyed tells the retention actor of segments that were read.
type surveyed struct{ read []retention.Segment }

// retentionActor deletes what has expired and watches the disk. Removing a large
// file can take seconds, and so can reading it: both happen beside the actor, which
// goes on looking at the disk meanwhile (F38).
type retentionActor struct {
	t       *tree
	ticker  *ticker
	timer   *time.Timer // of the next follow
	core    *retention.Core
	survey  *retention.Survey
	cleaner *retention.Cleaner
	blocked int64 // the segment whose unknown time was told of
	removal sync.WaitGroup
	busy    bool // a removal is under way, and has the cleaner
	reading bool // segments are being read
	ctx     context.Context
	cancel  context.CancelFunc // ends the reading
}

// Receive is the actor.
func (a *retentionActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *tick:
		m.took()
		if a.t.rooms.report.ReadOnly != nil {
			return // whoever is to repair it finds it as it is, however long that takes
		}
		a.step(ctx, true)
		a.follow(ctx)
	case *surveyed:
		a.reading = false
		a.survey.Learn(m.read)
		a.step(ctx, false) // more is read in the next round
	case *removed:
		a.removed(m)
		a.follow(ctx)
	case *follow:
		a.follow(ctx)
	case *actor.Started:
		a.start(ctx)
	case *actor.Restarting, *actor.Stopping:
		a.ticker.stop()
		if a.timer != nil {
			a.timer.Stop()
		}
		if a.cancel != nil { // it may not have come so far
			a.cancel()
		}
		a.removal.Wait()
	}
}

func (a *retentionActor) start(ctx actor.Context) {
	r := a.t.rooms
	a.core, a.survey, a.blocked = a.t.retention, retention.NewSurvey(r.log.Reader()), -1
	a.cleaner = &retention.Cleaner{Log: r.log, Queues: r.queues, Index: r.index}
	a.ctx, a.cancel = context.WithCancel(context.Background())
	a.ticker = every(a.t.system, ctx.Self(), a.t.o.CleanResourceInterval, a.t.o.Faults)
}

// newRetention makes the core of a store that was just opened. It outlives its
// actor: what it knows of the clock is known from the opening only.
func newRetention(o *Options, end int64) *retention.Core {
	core, err := retention.New(policyOf(o))
	if err != nil {
		panic(err) // Validate has looked
	}
	core.Open(end, retention.Now{Wall: o.Now()})
	return core
}

// forEver is the age of expiry where messages are kept for ever.
const forEver = 100 * 365 * 24 * time.Hour

func policyOf(o *Options) retention.Policy {
	reserved := o.FileReservedTime
	if reserved == 0 {
		reserved = forEver
	}
	return retention.Policy{
		FileReservedTime: reserved, DeleteWhen: o.DeleteWhen,
		DiskMaxUsedSpaceRatio: o.DiskMaxUsedSpaceRatio, DiskSpaceCleanForciblyRatio: o.DiskSpaceCleanForciblyRatio,
		DiskSpaceWarningLevelRatio: o.DiskSpaceWarningLevelRatio, CleanFileForciblyEnable: o.CleanFileForciblyEnable,
		MaxStoreSize: o.MaxStoreSize, DeleteFileBatchMax: o.DeleteFileBatchMax,
	}
}

// step asks the core what goes and takes it out of the log, so that readers turn
// away; queues and index follow in batches. With read it lets segments be read that
// the core is in doubt about, no more than it would let go in one step.
func (a *retentionActor) step(ctx actor.Context, read bool) {
	log := a.t.log()
	segments := a.survey.Segments()
	// The record that the mark counts by must stay, or the mark says nothing.
	durable := min(log.Flushed(), a.t.rooms.progress.Proven())
	state := retention.State{
		Segments: segments, Newest: newest(segments),
		Appended: log.Appended(), Flushed: durable, Confirm: log.Confirm(), Dispatched: log.Dispatched(),
		LogDisk: a.usage(a.t.rooms.layout.CommitLog()), QueueDisk: a.usage(a.t.rooms.layout.ConsumeQueue()),
	}
	d := a.core.Step(state, retention.Now{Wall: a.t.o.Now(), Elapsed: time.Since(a.t.began)})
	a.t.diskFull(d.RefusePuts, errDiskWarning)
	a.report(d.Blocked)
	if read && len(d.Unread) > 0 {
		a.read(ctx, d.Unread)
	}
	if a.busy || len(d.Expired) == 0 && !a.cleaner.Unfinished() {
		return
	}
	m := &removed{}
	if len(d.Expired) > 0 {
		m.reason = d.Expired[0].Reason.String()
	}
	a.busy = true
	self := ctx.Self()
	a.removal.Go(func() {
		m.err = errGoexit // if it does not come to its end
		defer send(a.t.system, self, m)
		m.err = guarded(func() (err error) {
			m.first, err = a.cleaner.Expire(d.ExpireBelow)
			return err
		})
	})
}

// read looks at all records of segments that seem to have expired.
func (a *retentionActor) read(ctx actor.Context, segments []retention.Segment) {
	if a.reading {
		return
	}
	a.reading = true
	self, survey := ctx.Self(), a.survey
	a.removal.Go(func() {
		m := &surveyed{}
		defer send(a.t.system, self, m)
		if err := guarded(func() error { m.read = survey.Read(a.ctx, segments); return nil }); err != nil {
			say(a.t.o.Logger.Warn().Err(err), "retention reads segments")
		}
	})
}

// removed tells of a removal that has ended.
func (a *retentionActor) removed(m *removed) {
	a.busy = false
	if m.err != nil { // what is left is taken away in the next round
		say(a.t.o.Logger.Warn().Err(m.err), "retention")
	}
	if tell := a.t.o.Events.SegmentsExpired; tell != nil && m.reason != "" {
		tell(m.first, m.reason)
	}
}

// usage is zero, which retention takes for unknown, where the disk does not say.
func (a *retentionActor) usage(dir string) mapped.DiskUsage {
	u, err := a.t.rooms.fs.DiskUsage(dir)
	if err != nil {
		say(a.t.o.Logger.Warn().Err(err), "disk usage")
		return mapped.DiskUsage{}
	}
	return u
}

// report tells once of a segment that is kept because nobody knows its age.
func (a *retentionActor) report(b retention.Blocked) {
	if b.Why != retention.TimeUnknown || b.Offset == a.blocked {
		return
	}
	a.blocked = b.Offset
	if tell := a.t.o.Events.RetentionBlocked; tell != nil {
		tell(b.Offset, b.Why.String())
	}
	say(a.t.o.Logger.Warn().Int64("segment", b.Offset), "kept: the time of its last record is unknown")
}

// follow lets a batch of queues go after the log.
func (a *retentionActor) follow(ctx actor.Context) {
	if a.busy {
		return
	}
	done, err := a.cleaner.Follow(followBatch)
	if err != nil { // tried again in the next round
		say(a.t.o.Logger.Warn().Err(err), "retention of queues and index")
	}
	if !done.Done {
		self := ctx.Self()
		a.timer = time.AfterFunc(followPause, func() { send(a.t.system, self, &follow{}) })
	}
}

func newest(segments []retention.Segment) int64 {
	var t int64
	for _, s := range segments {
		t = max(t, s.Last)
	}
	return t
}
