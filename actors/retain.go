package actors

import (
	"errors"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/retention"
)

// errDiskWarning is why puts are refused when a disk is nearly full.
var errDiskWarning = errors.New("use is above DiskSpaceWarningLevelRatio")

// retentionActor deletes what has expired and watches the disk.
type retentionActor struct {
	t      *tree
	ticker *ticker
	core   *retention.Core
	survey *retention.Survey
}

// Receive is the actor.
func (a *retentionActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *tick:
		m.took()
		if err := a.step(); err != nil {
			panic(err)
		}
	case *actor.Started:
		core, err := retention.New(policyOf(&a.t.o))
		if err != nil {
			panic(err)
		}
		a.core, a.survey = core, retention.NewSurvey(a.t.log().Reader())
		a.ticker = every(a.t.system, ctx.Self(), a.t.o.CleanResourceInterval)
	case *actor.Restarting, *actor.Stopping:
		a.ticker.stop()
	}
}

func policyOf(o *Options) retention.Policy {
	return retention.Policy{
		FileReservedTime: o.FileReservedTime, DeleteWhen: o.DeleteWhen,
		DiskMaxUsedSpaceRatio: o.DiskMaxUsedSpaceRatio, DiskSpaceCleanForciblyRatio: o.DiskSpaceCleanForciblyRatio,
		DiskSpaceWarningLevelRatio: o.DiskSpaceWarningLevelRatio, CleanFileForciblyEnable: o.CleanFileForciblyEnable,
		MaxStoreSize: o.MaxStoreSize, DeleteFileBatchMax: o.DeleteFileBatchMax,
	}
}

// step asks the core what goes and takes it away: log first, so that readers
// turn away, then what points into it.
func (a *retentionActor) step() error {
	r, log := a.t.rooms, a.t.log()
	logDisk, err := r.fs.DiskUsage(r.layout.CommitLog())
	if err != nil {
		return err
	}
	queueDisk, err := r.fs.DiskUsage(r.layout.ConsumeQueue())
	if err != nil {
		return err
	}
	segments := a.survey.Segments()
	state := retention.State{
		Segments: segments, Newest: newest(segments),
		Appended: log.Appended(), Flushed: log.Flushed(), Confirm: log.Confirm(), Dispatched: log.Dispatched(),
		LogDisk: logDisk, QueueDisk: queueDisk,
	}
	d := a.core.Step(state, retention.Now{Wall: a.t.o.Now(), Elapsed: time.Since(a.t.began)})
	a.t.diskFull(d.RefusePuts, errDiskWarning)
	if len(d.Expired) == 0 {
		return nil
	}
	first, err := log.ExpireBelow(d.ExpireBelow)
	if err != nil {
		return err
	}
	if tell := a.t.o.Events.SegmentsExpired; tell != nil {
		tell(first, d.Expired[0].Reason.String())
	}
	return a.follow(first)
}

// follow lets queues and index forget what the log no longer holds.
func (a *retentionActor) follow(first int64) error {
	r := a.t.rooms
	for q := range r.queues.All() {
		if _, err := q.DeleteExpired(first); err != nil {
			return err
		}
	}
	if r.index != nil {
		if _, err := r.index.DeleteExpired(first); err != nil {
			return err
		}
	}
	return nil
}

func newest(segments []retention.Segment) int64 {
	var t int64
	for _, s := range segments {
		t = max(t, s.Last)
	}
	return t
}
