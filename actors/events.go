package actors

import "time"

// Events are told what happens in a store. Each function may be nil; the actor
// where the thing happened waits for it, so it must not block and must not call the
// store. One that panics is logged, and harms nobody.
type Events struct {
	// Opened tells that the store serves, and what recovery did. It comes again
	// when the store actor has failed and was restarted.
	Opened func(OpenedEvent)
	// Closed tells that a store which has served is gone, whoever ended it, and why
	// it is not as it should be: nil if all was written down in order.
	Closed func(err error)
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
	// ActorRestarted tells that an actor failed and comes back. Of "store", the
	// store actor itself, its parent decides whether it does: the actor system of
	// Open restarts it up to ten times in ten seconds.
	ActorRestarted func(ActorEvent)
	// ActorHung tells that an actor has not moved for HangTimeout though it should.
	// For this event and the next two nobody waits.
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
	Clean       bool          // the last stop was clean
	Min, End    int64         // physical offsets of the log
	Cut         int64         // bytes behind the end that were set aside
	Damaged     int           // places inside the log that cannot be read
	Missing     int64         // bytes behind the end that were on disk once
	IndexBehind int64         // bytes of log that the index takes in behind the open store
	Took        time.Duration // of opening
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
