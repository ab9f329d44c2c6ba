// Package crash proves the promise of the store by breaking it, thousands of
// times, each time from a seed.
//
// # Rigs
//
//	crash-image     a workload runs on a file system in memory; at many of its
//	                calls an image is taken of what a power cut or a kill would
//	                leave just then; each image is opened and checked, goes on
//	                with puts, is stopped again and checked again; this row counts
//	                power cuts under SYNC_FLUSH, of which all was judged, and
//	                crash-image-other the rest: kills, ASYNC_FLUSH
//	recovery-crash  the opening of an image is cut itself, up to three times deep;
//	                the store comes to the same state
//	damage          bytes of a store at rest are flipped, zeroed, cut, swapped,
//	                replaced by older ones; all of it is noticed, nothing wrong is
//	                returned, and what was not hit is not lost
//	tail            a bad place in the log is told to be a torn end, which is kept
//	                aside and cut, or damage inside, which costs nothing else
//	kill            a real process on real files is killed, again and again
//
// All of them use one verifier, package oracle, and the workloads of package
// workload.
//
// # Commands
//
//	go test ./tests/crash                      a few thousand cases
//	go test ./tests/crash -images 20000 -recuts 2000 -damage 5000 -tails 5000 -kills 500
//	go test ./tests/crash -timeout 0 -for 30m -ledger ../ledger.csv
//
// The last one is a soak: each rig runs for that time, with seeds that the
// ledger does not have yet, and appends a row to it.
//
// # Replay
//
// A failure prints a command. The workload of a seed is always the same; where
// the actors ran beside each other the moment of an image may differ by a few
// calls, so a replay may need some tries. -save keeps the images that violate.
package crash
