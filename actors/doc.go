// Package actors is the running store: a supervision tree of protoactor actors,
// each a thin shell around one core of the rooms below.
//
// # Promise
//
// Every message sent to the store that it understands is answered, whatever dies;
// others are ignored. An actor that
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
// Put, PutBatch, Get, Query, Lookup, LookupID, OffsetByTime, MessageTime, Offsets,
// Topics, DeleteTopic, Flush and GetState may be sent to the PID of the store by any
// actor, by pointer or by value, with ctx.Request or Root.RequestFuture; each is
// answered by a pointer to its Reply (DeleteTopic and Flush by *DoneReply, OffsetByTime
// and MessageTime by *NumberReply), whatever fails meanwhile. What a message points to
// must not change until it is answered. No message waits for what will be put: who
// follows a queue does so with Store.Reader().Poll and Store.Notifier, and asks for
// both again after an error.
// No actor of the store waits for one who asks: answers go out beside them, to each
// asker in order. One that takes none of them while 16,384 wait, or look-ups of
// MaxBytesInFlight, is refused what else it asks (ErrBusy), and beyond twice as many
// not answered any more.
// What is sent to the PID of a store that has gone gets protoactor's answer for dead
// letters. ActorSystem.Shutdown of protoactor stops no actor: close a store before it.
//
// # Invariants
//
//   - A1: a put that was accepted is answered once: by append, by the flusher,
//     or by whoever finds the actor dead.
//   - A2: at most MaxBytesInFlight bytes of puts are accepted and unanswered; as
//     many, and a bounded number of other messages, wait for the store actor.
//   - A3: at most one wake is queued per actor.
//   - A4: shells open no file and parse nothing.
//   - A5: what the disk refuses to a shard or to the index is tried until it is
//     taken; meanwhile they hold up nobody else, and nothing of them is claimed
//     in the queue summary.
//   - A6: no actor is restarted behind its stop, and none panics while stopping.
//   - A7: an actor that was replaced changes nothing that others see.
//   - A8: who hangs holds up nobody whose work can be done without it, the watch
//     and a Close without a deadline included.
//   - A9: code of users, be it a subscriber of the event stream, a logger, an event, a
//     callback or an asker, runs on no goroutine that has an answer in hand: what it
//     does there, panics and runtime.Goexit included, takes nobody else's.
//
// # Who fails, who hangs
//
// An actor that panics, or that somebody stops from outside, comes back after a
// pause: append and flusher together and from the log, within RestartBudget.
//
// If the store actor itself panics its parent decides. Restarted, or resumed, it
// ends all actors, writes everything down and opens the store anew after a pause,
// under the same handle and PID; who waits meanwhile gets ErrRestarting. An opening
// that fails is one more failure, which the parent decides upon. Stopped it ends the store
// as Close does, and Events.Closed says why.
//
// A goroutine cannot be ended. An actor that hangs has something in hand, and
// goes on with it some day; what is safe depends on what that may be. The watch
// looks at all actors from a goroutine of its own, at their mailboxes and
// watermarks. Who owes progress and makes none for HangTimeout is told of
// (ActorHung, State.Hung), and then
//
//	reader      only reads: another takes its place, its asker is answered
//	dispatch    while it reads: another takes its place, and the fence keeps the
//	            old one from everything; while it deletes a topic: told of
//	queues-n    may be in a write, and a queue has one writer: it keeps its place,
//	index       and dispatch goes on without it; when it moves, it catches up
//	checkpoint  may be in a write that nothing can fence off: told of. The next
//	retention   recovery reads more, nothing expires, and append makes its own
//	allocator   segments meanwhile, unless they hang in the making of one
//	append      told of. Puts end by their deadlines; when MaxBytesInFlight is
//	flusher     used up, others get SERVICE_NOT_AVAILABLE
//	store       told of. What does not pass through it goes on, nobody restarts
//
// There is one replacement for an actor until the one that hangs has ended.
// A sync of the log that takes long is a slow disk (DiskSlow), and no hang; so is
// one of the last steps of a close, for thirty times HangTimeout. An
// actor that owes something with nothing in hand has lost its signal: it is
// woken, or restarted, which is safe.
//
// A put has no deadline but its context's. Put without one, Begin and PutAsync
// may do the append actor's work on the goroutine of the caller, and return
// late if that hangs; what the actor that hangs has in hand is answered when it
// moves.
//
// # Assumptions
//
// The system that the store is spawned in delivers messages in order between
// two actors and restarts a failed actor on request; both are protoactor's.
package actors
