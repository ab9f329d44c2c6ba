package actors

import (
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
)

// takeOver makes the root and takes the lock, before anything is read.
func (r *rooms) takeOver() (err error) {
	if err := r.fs.MkdirAll(r.layout.Root); err != nil {
		return err
	}
	r.lock, err = checkpoint.Lock(r.fs, r.layout.LockFile())
	return err
}

// load opens log, queues and index as they stand.
func (r *rooms) load(o *Options) (err error) {
	warn := func(path, reason string) {
		if o.Events.Stray != nil {
			o.Events.Stray(path, reason)
		}
		say(o.Logger.Warn().Str("path", path), reason)
	}
	if r.log, err = commitlog.Open(r.logOptions(o, warn)); err != nil {
		return err
	}
	r.alloc = r.log.Allocator()
	if r.queues, err = consumequeue.Open(r.queueOptions(o, warn)); err != nil {
		return err
	}
	if o.MessageIndexEnable {
		r.index, err = indexsvc.Open(indexsvc.Options{
			FS: r.fs, Dir: r.layout.Index(), TmpDir: r.layout.Tmp(), ReadOnly: r.readOnly,
			MaxHashSlotNum: o.MaxHashSlotNum, MaxIndexNum: o.MaxIndexNum, Warn: warn,
		})
		if err != nil {
			return err
		}
	}
	if r.kinds, err = readTopicKinds(r.fs, r.layout.TopicsFile(), o.BatchTopics); err != nil {
		return err
	}
	r.deleted, err = readDeleted(r.fs, r.layout)
	return err
}

func (r *rooms) logOptions(o *Options, warn func(path, reason string)) commitlog.Options {
	return commitlog.Options{
		FS: r.fs, Dir: r.layout.CommitLog(), TmpDir: r.layout.CommitLogTmp(),
		SegmentSize: o.MappedFileSizeCommitLog, Staged: o.FlushDiskType == SyncFlush, ReadOnly: r.readOnly,
		ZeroAhead: o.ZeroAheadCommitLog, Renewed: r.renewed,
		EnableLmq: o.multiDispatch(), Warn: warn,
		Encoder: record.Encoder{AppendPropCRC: o.EnabledAppendPropCRC, Host: o.BrokerAddr},
	}
}

func (r *rooms) queueOptions(o *Options, warn func(path, reason string)) consumequeue.Options {
	return consumequeue.Options{
		FS: r.fs, Dir: r.layout.ConsumeQueue(), BatchDir: r.layout.BatchConsumeQueue(),
		ExtDir: r.layout.ConsumeQueueExt(), TmpDir: r.layout.Tmp(),
		FileSize: o.MappedFileSizeConsumeQueue, BatchFileSize: o.MapperFileSizeBatchConsumeQueue,
		ExtFileSize: o.MappedFileSizeConsumeQueueExt, EnableExt: o.EnableConsumeQueueExt,
		MaxOpenFiles: o.MaxOpenQueueFiles, ReadOnly: r.readOnly, Warn: warn,
	}
}
