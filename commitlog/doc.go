// Package commitlog is the one log of a store: every message of every topic is
// appended to it, and everything else is derived from it.
//
// # Promise
//
// A record is whole or absent. What Appended covers never changes, what Flushed
// covers is on disk, and a reader that stays below Confirm sees only records
// that the store stands by. Damage is reported with its place and never costs a
// record beside it.
//
// # Format
//
// The log is a row of segments of one fixed size, each a file named by the
// physical offset of its first byte:
//
//	commitlog/00000000000000000000
//	          00000000001073741824
//
//	0        n1       n2            segment size
//	+--------+--------+--- - - ---+-------+~~~~~~~~~~~~~+
//	| record | record |           | BLANK | unspecified |
//	+--------+--------+--- - - ---+-------+~~~~~~~~~~~~~+
//
// Records stand back to back (package record). A record that would leave fewer
// than 8 bytes behind it goes to the next segment and a BLANK closes this one:
//
//	0       4       8
//	+-------+-------+
//	| i32 n | magic |   n = bytes to the end of the segment, these 8 included
//	+-------+-------+   magic = cbd43194
//
// # Invariants
//
// They are cited by number in code and tests of all rooms.
//
//   - I1: min <= dispatched <= confirm <= appended and flushed <= appended;
//     under SYNC_FLUSH confirm <= flushed. Each watermark has one writer.
//   - I2: a record never crosses a segment; a full segment ends with one BLANK.
//   - I3: bytes below appended never change, but for zeroing by a truncation
//     that is durable before the next append.
//   - I4: queue offsets are dense per (topic, queueId) in log order.
//   - I5: unit i of a queue points at the record whose queueOffset is i and
//     which lies below confirm.
//   - I6: a put answered PUT_OK has its end <= flushed under SYNC_FLUSH, and
//     <= replicated under SYNC_MASTER.
//   - I7: after the first failed flush neither flushed nor confirm moves again
//     before the log is opened anew. No flush is ever repeated.
//
// # Handles
//
// A Log has three capabilities. The Appender is for one goroutine at a time, so
// is the Syncer; a Reader is for all. They share nothing but the watermarks and
// the immutable list of segments.
//
// # Assumptions
//
//   - A1: a 512-byte sector is written whole or not at all.
//   - A2: a file that was synced, renamed and whose directory was synced is
//     there after a power cut, at its full size.
//   - A3: after a failed sync the page cache lies: it may show bytes that are
//     not on disk, and a later sync may succeed without them.
//   - A4: bytes stored through a shared mapping and bytes written with pwrite
//     are seen alike by both.
package commitlog
