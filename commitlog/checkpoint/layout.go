package checkpoint

import "path/filepath"

// Layout names every file and directory of a store. It is the only place that
// knows them.
type Layout struct {
	Root      string // storePathRootDir
	commitLog string // storePathCommitLog, "" = below Root
}

// NewLayout describes the store at root. commitLogDir is storePathCommitLog;
// empty means <root>/commitlog.
func NewLayout(root, commitLogDir string) Layout {
	return Layout{Root: root, commitLog: commitLogDir}
}

func (l Layout) in(elem ...string) string {
	return filepath.Join(append([]string{l.Root}, elem...)...)
}

// CommitLog is the directory of the segments.
func (l Layout) CommitLog() string {
	if l.commitLog != "" {
		return l.commitLog
	}
	return l.in("commitlog")
}

// ConsumeQueue holds <topic>/<queueId>/ of the plain queues.
func (l Layout) ConsumeQueue() string { return l.in("consumequeue") }

// ConsumeQueueExt holds <topic>/<queueId>/ of the extended units.
func (l Layout) ConsumeQueueExt() string { return l.in("consumequeue_ext") }

// BatchConsumeQueue holds <topic>/<queueId>/ of the batch queues.
func (l Layout) BatchConsumeQueue() string { return l.in("batchconsumequeue") }

// RocksDBQueue is where RocketMQ may keep RocksDB queues; see Refuse.
func (l Layout) RocksDBQueue() string { return l.in("consumequeue_rocksdb") }

// Index is the directory of the key index.
func (l Layout) Index() string { return l.in("index") }

// CheckpointFile is RocketMQ's checkpoint page.
func (l Layout) CheckpointFile() string { return l.in("checkpoint") }

// AbortFile exists while the store is in use.
func (l Layout) AbortFile() string { return l.in("abort") }

// LockFile carries the process lock.
func (l Layout) LockFile() string { return l.in("lock") }

// Config holds RocketMQ's JSON files.
func (l Layout) Config() string { return l.in("config") }

// TopicsFile is the JSON file that tells the kind of each topic's queues.
func (l Layout) TopicsFile() string { return l.in("config", "topics.json") }

// EpochFile is RocketMQ's epoch file of a replicated store.
func (l Layout) EpochFile() string { return l.in("epochFileCheckpoint") }

// Ours is the directory of the files that RocketMQ does not know.
func (l Layout) Ours() string { return l.in("actorstore") }

// MarkFile is the durable mark.
func (l Layout) MarkFile() string { return l.in("actorstore", "mark") }

// QueuesFile is the queue summary.
func (l Layout) QueuesFile() string { return l.in("actorstore", "queues") }

// DeletedFile names the deleted topics.
func (l Layout) DeletedFile() string { return l.in("actorstore", "deleted") }

// DamageFile names places of the log that are known to be damaged.
func (l Layout) DamageFile() string { return l.in("actorstore", "damage") }

// Aside holds bytes that recovery cut away.
func (l Layout) Aside() string { return l.in("actorstore", "aside") }

// Tmp holds files that are being made; see Prepare.
func (l Layout) Tmp() string { return l.in("actorstore", "tmp") }

// CommitLogTmp holds segments that are being made. It must be on the file
// system of the segments: for a commit log of its own that is only sure inside
// its directory, where RocketMQ passes over sub-directories.
func (l Layout) CommitLogTmp() string {
	if l.commitLog == "" || within(l.Root, l.commitLog) {
		return l.Tmp()
	}
	return filepath.Join(l.commitLog, "actorstore-tmp")
}

// within tells by name alone whether dir lies below root.
func within(root, dir string) bool {
	rel, err := filepath.Rel(root, dir)
	return err == nil && filepath.IsLocal(rel)
}
