package sim

import (
	"bytes"
	"errors"
	"fmt"
	"maps"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// open starts a process. What it finds is checked at once, if it comes so far:
// the opening itself may be cut, or meet a disk that fails.
func (w *world) open() {
	if w.rng != nil {
		switch w.rng.IntN(8) {
		case 0, 1:
			w.planCut(1 + w.rng.IntN(120))
		case 2:
			w.planFault()
		}
		if w.rng.IntN(10) == 0 { // somebody has changed the configuration
			w.setup.o.FlushDiskType = 1 - w.setup.o.FlushDiskType
		}
	}
	w.jumped = w.set
	l, err := w.start()
	if w.dead {
		w.l = l // for bury
		return
	}
	hits := w.faults.hits
	w.cut = plannedCut{}
	if err != nil && hits == 0 {
		w.fail("open: %v", err)
	}
	if err == nil && l.log.Failed() != nil {
		err = l.log.Failed()
		if hits == 0 {
			w.fail("read-only after recovery on a healthy disk: %v", err)
		}
		_ = l.release()
	}
	w.heal()
	if err != nil {
		w.trace.note("not opened: %v", err)
		w.leaks()
		w.stopped(oracle.Killed)
		return
	}
	w.l = l
	w.check()
}

// stopped notes that a process has ended without a cut, and how much of what it
// promised can still be asked for.
func (w *world) stopped(cut oracle.Cut) {
	w.was = watermarks{}
	if w.owed != nil {
		w.owed.cut = max(w.owed.cut, cut)
	} else {
		w.owed = &owed{at: w.model.Now(), cut: cut}
	}
}

// start opens the cores as a store actor does; on an error nothing stays open.
func (w *world) start() (*life, error) {
	o := &w.setup.o
	l := &life{w: w, layout: checkpoint.NewLayout(root, ""), sync: o.FlushDiskType == actors.SyncFlush}
	l.limits = record.Limits{MaxMessageSize: o.MaxMessageSize, SegmentSize: o.MappedFileSizeCommitLog,
		AppendPropCRC: o.EnabledAppendPropCRC, Host: o.BrokerAddr}
	err := l.load()
	if err == nil {
		err = l.recover()
	}
	if err != nil {
		return nil, errors.Join(err, l.release())
	}
	return l, nil
}

func (l *life) load() (err error) {
	fs, o := l.w.script, &l.w.setup.o
	if err := l.layout.Refuse(fs); err != nil {
		return err
	}
	if err := fs.MkdirAll(l.layout.Root); err != nil {
		return err
	}
	if l.lock, err = checkpoint.Lock(fs, l.layout.LockFile()); err != nil {
		return err
	}
	l.log, err = commitlog.Open(commitlog.Options{
		FS: fs, Dir: l.layout.CommitLog(), TmpDir: l.layout.CommitLogTmp(), SegmentSize: o.MappedFileSizeCommitLog,
		Staged: l.sync, EnableLmq: true, Encoder: record.Encoder{AppendPropCRC: o.EnabledAppendPropCRC, Host: o.BrokerAddr},
	})
	if err != nil {
		return err
	}
	l.alloc = l.log.Allocator()
	l.queues, err = consumequeue.Open(consumequeue.Options{
		FS: fs, Dir: l.layout.ConsumeQueue(), BatchDir: l.layout.BatchConsumeQueue(), ExtDir: l.layout.ConsumeQueueExt(),
		TmpDir: l.layout.Tmp(), FileSize: o.MappedFileSizeConsumeQueue, BatchFileSize: o.MapperFileSizeBatchConsumeQueue,
		ExtFileSize: o.MappedFileSizeConsumeQueueExt, MaxOpenFiles: o.MaxOpenQueueFiles,
	})
	if err != nil {
		return err
	}
	if o.MessageIndexEnable {
		l.index, err = indexsvc.Open(indexsvc.Options{FS: fs, Dir: l.layout.Index(), TmpDir: l.layout.Tmp(),
			MaxHashSlotNum: o.MaxHashSlotNum, MaxIndexNum: o.MaxIndexNum})
		if err != nil {
			return err
		}
	}
	l.deleted, err = checkpoint.ReadDeleted(fs, l.layout)
	return err
}

func (l *life) recover() error {
	fs := l.w.script
	for _, dir := range []string{l.layout.CommitLog(), l.layout.ConsumeQueue(), l.layout.Index()} {
		if err := fs.MkdirAll(dir); err != nil {
			return err
		}
	}
	if err := checkpoint.Prepare(fs, l.layout); err != nil {
		return err
	}
	state, _, err := recoverer.ReadState(fs, l.layout)
	if err != nil {
		return err
	}
	in := recoverer.Input{FS: fs, Layout: l.layout, Log: l.log, Queues: l.queues, Index: l.index, State: state,
		SyncFlush: l.sync, Kind: kindOf, MultiDispatch: true}
	if err := checkpoint.CreateAbort(fs, l.layout, 1); err != nil {
		return err
	}
	if l.report, err = recoverer.Recover(background, in); err != nil {
		return fmt.Errorf("recover: %w", err)
	}
	l.deleted = in.Deleted
	if l.deleted == nil {
		l.deleted = checkpoint.DeletedTopics{}
	}
	l.offsets = l.report.Offsets
	l.progress = l.writesProgress()
	if l.report.Last >= 0 {
		l.log.RestoreLast(l.report.Last)
	}
	if l.report.ReadOnly != nil {
		l.log.Fail(l.report.ReadOnly)
	} else if err := l.cutDeleted(); err != nil {
		return err
	}
	if err := l.coverQueues(state.Clean); err != nil {
		return err
	}
	l.serve()
	return nil
}

// cutDeleted brings deletions down to the end of the log.
func (l *life) cutDeleted() error {
	cut := maps.Clone(l.deleted)
	for topic, end := range cut {
		cut[topic] = min(end, l.report.End)
	}
	if maps.Equal(cut, l.deleted) {
		return nil
	}
	if err := checkpoint.WriteDeleted(l.w.script, l.layout, cut); err != nil {
		return err
	}
	l.deleted = cut
	return nil
}

// coverQueues syncs what a process that died may have left.
func (l *life) coverQueues(clean bool) error {
	if clean && l.report.Plan.Trusted || l.report.Queues == 0 {
		l.queues.Covered()
		return nil
	}
	if l.report.ReadOnly != nil {
		return nil
	}
	_, err := l.queues.Sync()
	return err
}

// serve starts what the actors start.
func (l *life) serve() {
	o := &l.w.setup.o
	var index reader.KeyIndex
	if l.index != nil {
		index = l.index
	}
	l.reader = reader.New(l.log.Reader(), l.queues, index, reader.Options{MaxMsgsNumBatch: o.MaxMsgsNumBatch, Deleted: l.deletedEnd})
	l.began, l.least = int64(l.w.mono), l.log.Min()
	l.startSinks()
	l.startKeeper()
	l.startPair()
}

// keepAside keeps bytes of the log that are about to be cut.
func (l *life) keepAside(offset int64, b []byte) error {
	_, err := checkpoint.Aside(l.w.script, l.layout, fmt.Sprintf("commitlog-%020d", offset), bytes.NewReader(b))
	return err
}

// check brings a store that was just opened to rest and holds it against what is
// owed.
func (w *world) check() {
	w.rest()
	if w.owed == nil {
		w.owed = &owed{at: w.model.Now(), cut: oracle.Closed}
	}
	o := w.setup.o
	o.FS = w.fs // reading is no call that counts
	o.Now = w.now
	w.looking = true
	defer func() { w.looking = false }()
	i, err := actors.Inspect(background, o)
	if err != nil {
		w.fail("inspect: %v", err)
	}
	f, err := w.model.Check(background, w.l.reader, i, w.owed.at, w.owed.cut,
		oracle.Options{MultiDispatch: true, NoIndex: !o.MessageIndexEnable, MaxMatches: o.MaxMsgsNumBatch})
	if err = errors.Join(err, i.Close()); err != nil {
		w.fail("%v", err)
	}
	if f.Doubtful {
		w.trace.note("doubtful: %v", w.l.report.Damage)
		w.done.Doubtful++
		w.over = true
		return
	}
	w.trace.note("found [%d, %d) %d records", f.Min, f.End, len(f.Records))
	w.model = w.model.Fork(f)
	w.owed = nil
	clear(w.blocked)
	w.shadow.refill(w, f)
	w.done.Checks++
}
