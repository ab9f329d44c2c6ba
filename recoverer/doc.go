// Package recoverer brings a store from what stands on disk to a consistent
// state before anybody uses it, and inspects stores.
//
// # Promise
//
// After Recover the log ends where good records end, nothing stands behind that
// end, everything in front of it is on disk, and every queue and the index say
// what the log says. No record is lost because another one is damaged, and no
// byte is cut that is not kept aside first. Recover may be cut at any point and
// run again: it comes to the same state. Inspect and Verify change nothing.
//
// # Phases of Recover
//
//	plan     what counts: the durable mark, the queue summary, the index
//	scan     where the log ends, and what inside it is damaged; good parts that
//	         are not proven durable are rewritten meanwhile
//	secure   rewrite the others and sync all; keep aside, zero and sync what
//	         stands behind the end; new mark. A segment that the disk does not
//	         take where it stands is written anew (RenewedError)
//	queues   find their ends; choose those whose every unit must be checked
//	replay   the log from the first record that a queue or the index may lack,
//	         each record against its unit
//	settle   cut units behind the log, correct minima, sync, new summary
//
// Where much is lacking three parts run at once: secure, queues with their replay,
// and the index with a reading of the log of its own. If the log then cannot be
// secured, it ends earlier, and what was derived is derived again. An index that
// lacks more than DeferIndex is left to the caller.
//
// # What is trusted
//
// The mark counts if the six checkpoint fields are those it was written with
// and its last record stands where it says. Then the scan begins at that record,
// or at the summary's end if that is in front of it: below the mark the log is
// known to be durable, and damage there is damage, never an end. Without a mark
// the store is another engine's (or has lost the mark): the whole log is scanned,
// by all processors, and every unit of every queue is checked against it. RocketMQ
// looks at ten files at most and takes the ends of the queues on trust; both lose
// messages.
//
// The summary counts with the mark. Its queues must be there, reach at least as
// far as it says, and their last unit below it must point at the right record;
// those that fail are checked unit by unit.
//
// Index files count if they were flushed, or agree in themselves and with the places
// and times of the records in the log.
// After a life of the store without its index none counts, however that life ended:
// the index is made anew. Behind the first place where the log has keys that no file
// covers, as where one was removed, the files go and are made again. A file that
// passes for unused may have lost its header: after an unclean stop those behind it
// go, too.
//
// # What it costs
//
// The work is that of what is unchecked: the log behind the mark is scanned, what
// lies behind its flushed end is written again, what lies behind the summary is
// replayed. Space that was never written is not read. A segment is scanned in
// chunks, each from the first whole record in it on, and chunks are put together
// where one begins just where the one in front ended: from the same place a scan
// finds the same. From a bad place on the rest of its segment is scanned once
// more, in order. Memory is that of the queues, not of the log.
//
// # A bad place in the log
//
//	below the mark              damage; reading goes on behind it
//	a missing segment           damage
//	good records behind that    damage, if the file system of the log is mounted
//	continue                    since the mark: no power cut can have lost a write
//	one wrong bit, in a byte    damage
//	that is not zero
//	whole 512-byte sectors of   a write that a power cut lost: the end, and
//	zeros, in a log of ours     what stands behind was never acknowledged
//	a record without what is    the same: its page was written while the record
//	stored late, or with zeros  was encoded
//	where a sector ends, in an
//	ASYNC log of ours
//	good records behind that    damage
//	continue
//	else                        the end; what stands behind is old
//
// Good records continue if their queue offset is above the last good one of
// their queue and, in the same segment of a log that is not ours alone, their
// store time is not older than that of the last good record. What RocketMQ's
// truncation leaves does not. One damaged number or time, or unit, makes none old:
// a number that leaves some out needs the next one to confirm it, a time that one
// bit would put in order counts for nothing. Where no bad place tells old records
// from new ones, see dropOld.
//
// The log takes no puts (Report.ReadOnly) if segments are missing at its end, if
// its end cannot be read, or if records that may not be on disk cannot be written
// again; then the first two leave everything as it is.
//
// # Numbers
//
// A record counts under its own queue offset. Offsets that are missing because
// their records are damaged get units that point into the damage, so that a
// reader meets a typed error there and later offsets keep their numbers. If the
// numbering goes back, the topic was deleted and made again, or offsets were
// given out twice; the later records count. One record that is out of line and
// has no checksum over its header is believed if the next one, or a unit that
// stands, confirms it; and the last of its queue, if those that it leaves out may
// have stood in front of it. The same goes for the first number of a queue. A
// numbering does not begin anew where units of older records have stayed, unless
// the next record goes on from there.
//
// # Invariants
//
//   - R1: a store that is refused is as it was. Until the end of the log is
//     known nothing is written but our own mark and bytes that stood there.
//   - R2: nothing is served that is not proven durable, and no mark or summary
//     claims it.
//   - R3: zeroing is durable, and the bytes kept, before Recover returns.
//   - R4: a unit that points at a record of its queue with its offset is never
//     replaced; a record that no unit can be given is reported.
//   - R5: queue offsets keep their numbers: for records that damage has taken
//     there are units that point at the damage.
//   - R6: every file written here is derived data, ours, or holds the same bytes
//     as before.
//
// # Assumptions
//
// The caller holds the store's lock, and uses log, queues and index only after
// Recover has returned. Log, queues and index were opened on the same files.
package recoverer
