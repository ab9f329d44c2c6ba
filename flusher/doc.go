// Package flusher decides when puts are answered: it holds those that wait for
// the disk, in log order, and gives them free as the flushed watermark moves.
//
// # Promise
//
// A put answered PUT_OK has reached the durability that its result names. A put
// is answered exactly once, whatever fails; a caller that leaves is told what is
// known. After a failed flush everybody who waits is told at once.
//
// # What an answer means
//
//	SYNC_FLUSH   PUT_OK: the bytes of the message, and of every message before
//	             it, were synced to disk before the answer (Flushed).
//	ASYNC_FLUSH  PUT_OK: the bytes are in the page cache (Written). They survive
//	             the death of the process. A power cut may take what was put in
//	             the last flush interval and during one flush; what remains is
//	             whole up to some message, and nothing behind it.
//
// # Group commit
//
// There is no timer. While one flush runs, puts gather; the next flush covers
// them all. So a flush is shared by as many puts as the load brings.
//
//	append    a b c | d e f g | h i
//	gate              a b c     d e f g       waiting
//	flush           [ a b c ] [ d e f g ]     one sync each
//
// # Invariants
//
//   - I6: Release is called only with a watermark that the disk, and the
//     replicas where asked for, have reached.
//   - G1: a waiter is in at most one chain, and leaves it before it is settled.
//   - G2: a settled waiter belongs to its caller.
//
// # Assumptions
//
// One goroutine at a time uses a Gate or a Policy. A Waiter is shared by two
// sides by the protocol that its comment tells.
package flusher
