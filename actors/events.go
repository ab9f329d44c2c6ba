package actors

import "time"

// Events are told what happens in a store. Each function may be nil; it runs on
// the goroutine of the actor where the thing happened, so it must not block and
// must not call the store.
type Events struct {
	// Opened tells that the store serves, and what recovery did.
	Opened func(OpenedEvent)
	// Recovery tells how far opening has come, and the index behind it.
	Recovery func(RecoveryEvent)
	// SegmentCreated tells of a new CommitLog segment.
	SegmentCreated func(path string)
	// SegmentsExpired tells that retention moved the log's minimum.
	SegmentsExpired func(minOffset int64, reason string)
	// RetentionBlocked tells of a segment that is kept though it may be old.
	RetentionBlocked func(offset int64, why string)
	// FlushFailed tells why nothing is acknowledged any more: a flush or a write
	// has failed, or append and flusher did beyond RestartBudget. ReadOnly follows;
	// a store that was opened read-only tells of that alone.
	FlushFailed func(err error)
	// ReadOnly tells that puts are refused until the store is opened again.
	ReadOnly func(err error)
	// CorruptionFound tells of damage; err is a *record.CorruptionError mostly.
	CorruptionFound func(err error)
	// ActorRestarted tells that an actor failed and came back.
	ActorRestarted func(ActorEvent)
	// ActorHung tells that an actor has not moved for HangTimeout though it should.
	// This event and the next two run on a goroutine of their own.
	ActorHung func(HungEvent)
	// DiskSlow tells the same of the flusher while the disk syncs, and of the store
	// while the disk is at work on the last steps of a close: that is not taken for
	// a hang, and nothing is done about it.
	DiskSlow func(HungEvent)
	// ActorMoves tells that an actor told of as hung moves again, or its
	// replacement does.
	ActorMoves func(HungEvent)
	// SinkParked tells that a derived part failed five times on the same
	// record and stands still; puts and the other parts go on.
	SinkParked func(ActorEvent)
	// DiskFull tells that puts are refused for want of space, or no longer.
	DiskFull func(refused bool, cause error)
	// Stray tells of a file that does not belong to the store; it is left alone.
	Stray func(path, reason string)
}

// OpenedEvent says what was found.
type OpenedEvent struct {
	Clean    bool          // the last stop was clean
	Min, End int64         // physical offsets of the log
	Cut      int64         // bytes behind the end that were set aside
	Damaged  int           // places inside the log that cannot be read
	Missing  int64         // bytes behind the end that were on disk once
	// IndexBehind is how much log the index still lacks: its actor takes that in
	// behind the open store, and Recovery tells how far it is.
	IndexBehind int64
	Took     time.Duration // of opening
}

// RecoveryEvent says how far a phase has come.
type RecoveryEvent struct {
	Phase       string
	Done, Total int64
}

// ActorEvent says which actor failed, why, and how often in its window.
type ActorEvent struct {
	Actor    string
	Reason   any
	Failures int
}

// HungEvent says which actor does not move.
type HungEvent struct {
	Actor string
	For   time.Duration // how long it has not moved, for all that was seen
	Holds string        // what it has in hand and what waits for that
}
