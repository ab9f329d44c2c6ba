package actors

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/dispatch"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/progress"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/repair"
)

// rooms are the cores of one open store. The actors use them while they run;
// open and close use them alone.
type rooms struct {
	fs       mapped.FS
	layout   checkpoint.Layout
	lock     *checkpoint.StoreLock
	log      *commitlog.Log
	alloc    *commitlog.Allocator
	offsets  *commitlog.OffsetTable
	queues   *consumequeue.Store
	index    *indexsvc.Service // nil if disabled
	reader   *reader.Reader
	notifier *reader.Notifier
	kinds    *topicKinds
	deleted  *deletedTopics
	report   recoverer.Report
	progress *progress.Writer
	damaged  atomic.Int64 // places found damaged since open

	known     knownDamage
	indexAway atomic.Bool // it lacks records that the queues have
	readOnly  bool
	renewed   []int64 // segments that this opening has written anew
}

// parallel runs f(0..n-1) on one goroutine more than there are processors: one
// may wait for the disk. What panics there panics here, where the opening ends;
// nobody else could catch it.
func parallel(n int, f func(i int)) {
	var next atomic.Int64
	var wait sync.WaitGroup
	var panicked atomic.Pointer[error]
	for range min(n, runtime.GOMAXPROCS(0)+1) {
		wait.Go(func() {
			err := errGoexit // if it does not come to its end
			defer func() {
				if err != nil {
					panicked.CompareAndSwap(nil, &err)
				}
			}()
			err = guarded(func() error {
				for i := int(next.Add(1)) - 1; i < n && panicked.Load() == nil; i = int(next.Add(1)) - 1 {
					f(i)
				}
				return nil
			})
		})
	}
	wait.Wait()
	if err := panicked.Load(); err != nil {
		panic(*err)
	}
}

// openRooms locks, opens and recovers a store. On an error nothing is left open
// and, unless recovery had begun, nothing on disk was changed.
func openRooms(ctx context.Context, o *Options) (*rooms, error) {
	var renewed []int64
	for {
		r, err := tryRooms(ctx, o, renewed)
		var again *recoverer.RenewedError
		if !errors.As(err, &again) || slices.Contains(renewed, again.Segment) {
			return r, err
		}
		say(o.Logger.Warn().Err(again.Cause), "segment written anew")
		renewed = append(renewed, again.Segment)
	}
}

func tryRooms(ctx context.Context, o *Options, renewed []int64) (*rooms, error) {
	r := &rooms{fs: o.FS, layout: checkpoint.NewLayout(o.StorePathRootDir, o.StorePathCommitLog), renewed: renewed}
	err := apart(func() error {
		if err := r.layout.Refuse(r.fs); err != nil {
			return err
		}
		if err := r.takeOver(); err != nil {
			return err
		}
		if err := o.fits(r.fs, r.layout); err != nil {
			return err
		}
		if err := repair.Unfinished(r.fs, r.layout, o.sizes()); err != nil {
			return err
		}
		if err := r.load(o); err != nil {
			return err
		}
		return r.recover(ctx, o)
	})
	if err != nil {
		return nil, errors.Join(o.advise(err, r.fs, r.layout), r.release())
	}
	return r, nil
}

// recover brings everything into agreement with the log and marks the store as
// in use.
func (r *rooms) recover(ctx context.Context, o *Options) error {
	for _, dir := range []string{r.layout.CommitLog(), r.layout.ConsumeQueue(), r.layout.Index()} {
		if err := r.fs.MkdirAll(dir); err != nil {
			return err
		}
	}
	if err := checkpoint.Prepare(r.fs, r.layout); err != nil {
		return err
	}
	in, err := r.recoveryInput(o)
	if err != nil {
		return err
	}
	// From here on the store is in use: a stop in the middle is unclean.
	if err := checkpoint.CreateAbort(r.fs, r.layout, os.Getpid()); err != nil {
		return err
	}
	began := time.Now()
	if r.report, err = recoverer.Recover(ctx, in); err != nil {
		return fmt.Errorf("recover %s: %w", r.layout.Root, err)
	}
	r.known.begin(recoverer.Standing(&in, &r.report), in.Known)
	r.deleted.replace(in.Deleted)
	r.offsets = r.report.Offsets
	r.progress = r.writesProgress(o)
	if r.report.Last >= 0 {
		r.log.RestoreLast(r.report.Last)
	}
	if r.report.ReadOnly != nil {
		r.log.Fail(r.report.ReadOnly)
	} else if err := r.deleted.cut(r.report.End); err != nil {
		return err
	}
	if err := r.coverQueues(in.Clean); err != nil {
		return err
	}
	r.serve(o)
	if o.Events.Opened != nil {
		o.Events.Opened(OpenedEvent{
			Clean: in.Clean, Min: r.log.Min(), End: r.log.Appended(), Cut: r.report.Cut,
			Damaged: len(r.report.Damage), Missing: r.report.Missing, IndexBehind: r.report.IndexBehind(),
			Took: time.Since(began)})
	}
	return nil
}

// coverQueues syncs what a process that died may have left unsynced in the
// queues, now and not when puts are under way. A store that was closed in order
// needs nothing.
func (r *rooms) coverQueues(clean bool) error {
	if clean && r.report.Plan.Trusted || r.report.Queues == 0 {
		r.queues.Covered()
		return nil
	}
	if r.report.ReadOnly != nil {
		return nil
	}
	_, err := r.queues.Sync()
	return err
}

// serve makes the read side, once the log's bounds are known.
func (r *rooms) serve(o *Options) {
	var index reader.KeyIndex // a nil *Service must not become a non-nil interface
	if r.index != nil {
		index = r.index
	}
	r.reader = reader.New(r.log.Reader(), r.queues, index, reader.Options{
		MaxMsgsNumBatch: o.MaxMsgsNumBatch, Deleted: r.deleted.end,
		Damaged: func(err error) {
			if r.met(err, 0) {
				r.damaged.Add(1)
			}
		},
		IndexReady: r.indexReady,
		Gone:       func() error { return r.notifier.Closed() },
	})
	r.notifier = r.reader.Notifier()
}

// indexReady reports whether the index is known to hold what the queues do. That
// of a store in doubt is left as it is, and nobody has looked what it lacks.
func (r *rooms) indexReady() bool {
	doubt := r.report.ReadOnly != nil || r.report.Plan.Doubt != nil
	return !doubt && !r.indexAway.Load() && (r.index == nil || len(r.index.Damaged()) == 0)
}

// rules say which units records get.
func (r *rooms) rules(o *Options) dispatch.Rules {
	return dispatch.Rules{
		Shards: o.QueueShards, Kind: r.kinds.of, Deleted: r.deleted.end,
		MultiDispatch: o.multiDispatch(),
	}
}

// release lets everything go, whatever state it is in, and gives the lock back,
// even if something before it panics, or ends the goroutine.
func (r *rooms) release() error {
	var errs []error
	do := func(f func() error) { errs = append(errs, apart(f)) }
	if r.notifier != nil {
		r.notifier.Close(ErrClosed)
	}
	if r.index != nil {
		do(r.index.Close)
	}
	if r.queues != nil {
		do(r.queues.Close)
	}
	if r.log != nil {
		do(func() error { r.log.Close(); return nil })
	}
	if r.lock != nil {
		do(r.lock.Unlock)
	}
	return errors.Join(errs...)
}
