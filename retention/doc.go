// Package retention decides which segments of the commit log may go, and lets
// queues and index follow. The Core decides without a clock or a file; Survey
// reads what it has to know; Cleaner carries out what it decided.
//
// # Promise
//
// Segments go from the front, whole, oldest first, for one of three reasons:
//
//   - Age: the data is older than FileReservedTime, and it is an hour of
//     DeleteWhen, the disk is fuller than DiskMaxUsedSpaceRatio, or somebody
//     asked.
//   - Size: the store is larger than MaxStoreSize.
//   - Forced: the disk is fuller than DiskSpaceCleanForciblyRatio and
//     CleanFileForciblyEnable is set. No more goes than brings it back there.
//
// Above DiskSpaceWarningLevelRatio puts are refused, until the disk is down to
// DiskSpaceCleanForciblyRatio again.
//
// # Age
//
// A segment is as old as its last record, and file times mean nothing: they are
// lost by a copy or a restore. The record behind a segment was written just
// after its last one, so Survey reads the first record of the next segment; the
// age found that way is never too high while clocks go forward.
//
// Clocks do not always go forward. Four rules keep a wall clock that jumps from
// deleting data:
//
//   - The wall clock is believed only as far as the log bears it out: up to the
//     newest record at open (Core.Open) plus the monotonic time since. A clock set years
//     ahead while the store runs, or before it was opened, expires nothing. The
//     price: after a long stop, data that was not old when the store stopped
//     stays until the store has run for FileReservedTime.
//   - A segment that was completed in this run, by records that this process
//     stamped itself, has the age that the monotonic clock gives it.
//   - What has been seen complete for FileReservedTime of monotonic time is
//     expired, even where its records carry a time in the future.
//   - A segment that has expired by the record behind it and by its own first one
//     is read before it goes, and is as old as its youngest record. A clock that is
//     behind at each start has stamped just those two. It is read once, beside the
//     actor, and not at all where it goes for another reason.
//
// What is left: a wrong clock that has stamped records and is still wrong when
// the store is opened again is believed.
//
// # Invariants
//
//   - R1: what goes is a prefix; the first segment that must stay ends it.
//   - R2: the segment that holds the last record stays, and so does every
//     segment with a byte that is not dispatched, not confirmed, not flushed, or
//     not replicated where replicas count. A full disk changes nothing in this.
//   - R3: a segment whose time is unknown never expires by age; it is reported.
//   - R4: one step takes, and asks to have read, at most DeleteFileBatchMax segments.
//   - R5: a segment of which not all records were looked at expires by age only by
//     the monotonic clock. Damage counts as looked at.
//
// # Assumptions
//
// The monotonic clock never runs fast. It may stand still while the machine
// sleeps, which keeps data longer.
package retention
