package actors

import (
	"context"
	"errors"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/repair"
)

// Repair says what a store needs (do false; nothing is changed), or does it under
// the store's lock. skipDamaged agrees to steps that give something up. A store
// in use gives *checkpoint.LockedError.
func Repair(ctx context.Context, o Options, do, skipDamaged bool) (rep repair.Report, err error) {
	if err := o.Validate(); err != nil {
		return rep, err
	}
	layout := checkpoint.NewLayout(o.StorePathRootDir, o.StorePathCommitLog)
	if _, err := o.FS.Stat(layout.CommitLog()); err != nil {
		return rep, err
	}
	if err := layout.Refuse(o.FS); err != nil {
		return rep, err
	}
	if err := o.fits(o.FS, layout); err != nil {
		return rep, err
	}
	in := repair.Input{FS: o.FS, Layout: layout, Sizes: o.sizes(), SkipDamaged: skipDamaged, Open: o.opener(layout)}
	if !do {
		locked, err := checkpoint.IsLocked(o.FS, layout.LockFile())
		if err == nil && locked {
			err = &checkpoint.LockedError{Path: layout.LockFile()}
		}
		if err != nil {
			return rep, err
		}
		err = guarded(func() error { rep, err = repair.Plan(ctx, in); return err })
		return rep, err
	}
	lock, err := checkpoint.Lock(o.FS, layout.LockFile())
	if err != nil {
		return rep, err
	}
	err = guarded(func() error { rep, err = repair.Run(ctx, in); return err })
	return rep, errors.Join(err, lock.Unlock())
}

// opener opens the cores of a store without recovering it.
func (o *Options) opener(layout checkpoint.Layout) func(mapped.FS, bool) (recoverer.Input, func() error, error) {
	return func(fsys mapped.FS, readOnly bool) (recoverer.Input, func() error, error) {
		r := &rooms{fs: fsys, layout: layout, readOnly: readOnly}
		if err := r.load(o); err != nil {
			return recoverer.Input{}, r.release, err
		}
		in, err := r.recoveryInput(o)
		return in, r.release, err
	}
}

func (o *Options) sizes() repair.Sizes {
	return repair.Sizes{Segment: o.MappedFileSizeCommitLog, Queue: o.MappedFileSizeConsumeQueue,
		BatchQueue: o.MapperFileSizeBatchConsumeQueue, QueueExt: o.MappedFileSizeConsumeQueueExt}
}
