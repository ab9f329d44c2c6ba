// Package indexsvc is RocketMQ's key index: from a topic and a key, a unique key
// or a tag to the physical offsets of the records that carry it.
//
// # Promise
//
// For the same records in the same order the files have the bytes that
// RocketMQ's IndexService gives them; only their names may differ. A query gives
// every record that was put with the key, newest first, and perhaps records with
// another key of the same hash: the caller compares keys. The index is derived
// data: it may lag, stall or be dropped, and the log fills it again.
//
// # File, big-endian
//
//	0        8        16       24       32       36       40
//	| begin  | end    | begin  | end    | hash   | index  |  header
//	| Time   | Time   | PhyOff | PhyOff | Slots  | Count  |
//
//	40                                   40+4*slots
//	| slot 0 | slot 1 | ...              |                   i32: newest entry, 0 = none
//
//	40+4*slots+20*n
//	| hash 4 | physicalOffset 8 | timeDiff 4 | prev 4 |      entry n, 1 <= n < entries
//
// indexCount is the number of the next entry; entry 0 is never used. timeDiff is
// in seconds after beginTime. A file that follows a full one is born with the
// end of that one as its begin and end; its first entry takes its timeDiff from
// there and then sets begin to its own time (RocketMQ's quirk, kept). Nothing
// here reads the times: they are the wall clock's and may be out of order.
//
// # Invariants
//
//	X1  prev of entry n is smaller than n, so every chain ends.
//	X2  Physical offsets never fall along the entries and the files.
//	X3  An entry is whole before its count is published, and counted before its
//	    slot names it: a reader that finds n in a slot may read entry n.
//	X4  In the file the order is entry, slot, header: what a killed process
//	    leaves is mended when the file is opened for writing.
//	X5  A record below EndPhyOffset is not put again; of the record at it only
//	    the keys that are missing are.
//	X6  A file is made at its full size with its space reserved, and appears
//	    complete or not at all. A failure is not retried before the next Put.
//	X7  Nothing is removed because of what a file contains; the caller decides.
//
// # Assumptions
//
// Put gets records in log order from one goroutine at a time. All methods may be
// called from any goroutine beside it. The caller holds the store's lock.
package indexsvc
