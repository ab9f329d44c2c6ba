// Package actors is the running store: a supervision tree of protoactor actors,
// each a thin shell around one core of the rooms below.
//
// # Promise
//
// Every message sent to the store is answered, whatever dies. An actor that
// fails costs its own work for the time of its restart and nothing else: derived
// actors replay, append and flusher come back together from the log.
//
// # The tree
//
//	store (supervisor, own strategy)
//	 +- append       CommitLog writes, queue offsets      } they live and die
//	 +- flusher      flushes, answers the waiting puts    } together
//	 +- dispatch     reads [dispatched, confirm) into windows
//	 +- queues-0..n  ConsumeQueue shards
//	 +- index        key index
//	 +- allocator    the next segment, pages ahead of the writer
//	 +- checkpoint   durable mark, checkpoint page, queue summary
//	 +- retention    deletes what has expired
//	 +- reader       Get and look-ups that came as messages
//
// Data flows one way: put, append, flush, dispatch, queues. Behind the append
// actor no message carries data but windows, whose number is fixed; everybody
// else reads watermarks and is woken.
//
// # Messages
//
// Put, PutBatch, Get, Query, Lookup, LookupID, OffsetByTime, Offsets, Topics,
// DeleteTopic, Flush and State may be sent to the PID of the store by any actor,
// with ctx.Request; each is answered by its Reply.
//
// # Invariants
//
//   - A1: a put that was accepted is answered once: by append, by the flusher,
//     or by whoever finds the actor dead.
//   - A2: at most MaxBytesInFlight bytes of puts are accepted and unanswered.
//   - A3: at most one wake is queued per actor.
//   - A4: shells open no file and parse nothing.
//   - A5: what the disk refuses to a shard or to the index is tried until it is
//     taken; meanwhile they hold up nobody else, and nothing of them is claimed
//     in the queue summary.
//   - A6: no actor is restarted behind its stop, and none panics while stopping.
//
// # Assumptions
//
// The system that the store is spawned in delivers messages in order between
// two actors and restarts a failed actor on request; both are protoactor's.
package actors
