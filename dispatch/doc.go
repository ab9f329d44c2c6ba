// Package dispatch turns the log into what the queues and the index take in:
// RocketMQ's reput.
//
// # Promise
//
// Every record below confirm reaches its queues and the index in log order,
// exactly once as seen there, however often a stretch is read again. A damaged
// record is reported and costs only itself: its queue offset stays taken, by a
// unit that points at the damage.
//
// # Flow
//
//	          Reput               Window                Sink 0..n-1
//	log --> [pos, confirm) --> batches by queue --> shard of the queues  Applied
//	                           records with keys --> index               Applied
//
// A Window is about 1 MiB of log. It is handed to all sinks, each of which takes
// its part; the last one to be done gives it back. The number of windows is
// fixed, so a slow sink holds up the reader and nothing grows.
//
// # Invariants
//
//   - D1: a sink applies windows in log order without a hole: a window that
//     starts behind its Applied is refused, and the reader starts again from the
//     smallest Applied of all sinks.
//   - D2: applying a window again changes nothing (queues and index refuse what
//     they have).
//   - D3: the dispatched watermark is the smallest Applied.
//
// # Assumptions
//
// One goroutine at a time uses a Reput; one at a time a Sink. Windows pass
// between them by messages.
package dispatch
