// Package progress writes down how far a store has come, so that its next start
// need not read everything: the durable mark, RocketMQ's checkpoint page and the
// queue summary. It decides which of them is due, in what order they are written,
// and what a failure of each means. Their formats are those of package checkpoint.
//
// # Promise
//
// Whatever is on disk at any moment is true: no mark claims bytes of the log, and
// no summary claims units of a queue, that a power cut could still take. At least
// one mark counts with the page beside it, at every moment and behind every
// failure.
//
// # What a pass does
//
//	a look at the queues     when the last summary is old, or much log lies behind it
//	sync queues and index    once the records are durable that their units stand for
//	actorstore/queues        what that has covered
//	actorstore/mark          when anything was flushed since the last one
//	checkpoint               the page that the mark needs to count
//	Remember                 what else the owner keeps
//
// # Invariants
//
//   - P1: the mark is written before its page, and neither is claimed to be there
//     before both are (C2 of package checkpoint).
//   - P2: a look is taken before it is known what is flushed: the summary waits
//     until the log is flushed up to what was confirmed behind the look.
//   - P3: after a sync of queues or index that failed there is no summary any more,
//     and Finish fails: nobody can say what it has let go.
//   - P4: a mark that failed is written anew, into a file that needs nothing of the
//     failed one; a page that failed is written before the next mark.
//   - P5: of a store that was found to be read-only nothing is written. What stands
//     there is what puts its end in doubt, and the next start needs it for that.
//   - P6: behind a write of the log that failed no mark names the mount of its file
//     system, also if it was being written meanwhile.
//
// # Assumptions
//
// One goroutine at a time calls a Writer, but for Proven. The caller looks at the
// last record (Look.Last) before it looks at what queues and index hold, and the
// sinks go on meanwhile. Passes come about every second: the mark is that far
// behind.
package progress
