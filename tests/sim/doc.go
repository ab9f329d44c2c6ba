// Package sim drives the cores of a store single-threaded, by a seed, on a disk
// that fails, a machine that is switched off and a clock that jumps. It tries
// orders of events that real threads come to once in a year, and comes to each of
// them again from its seed.
//
// # Promise
//
// A seed does the same every time, down to the number of calls to the disk. Every
// violation prints the command that replays it and a shorter list of steps that
// still violates.
//
// # What is simulated
//
//	client     puts, batches, WAIT=false, clients that leave, topics that are deleted
//	append     encode | publish | hand over      each a step of its own
//	flusher    flush | answer                    others work inside the sync
//	dispatch   windows of any length, rewinds
//	sinks      a window; they die, catch up and come back
//	beside     allocator, checkpoint, retention, readers
//	disk       the k-th call fails, once or for ever; a sync that fails drops pages
//	cut        power cut or kill at any call, in recovery too, again and again
//	clock      a wall clock that is set forwards and back
//
// The cores are the real ones: Log, Appender, Syncer, Gate, Reput, the sinks,
// queues, index, Reader, recoverer, Core and Cleaner of retention, the Writer of
// progress. What the actors do around them is written here once more, with mailboxes
// that are lists: a step takes one message from one of them. No actor, goroutine
// or clock takes part.
//
// # What is checked
//
//   - S1: behind every step: the watermarks are in order and never go back,
//     nothing moves after a failed flush, no unit stands for a record behind
//     confirm, no window is lost;
//   - S2: at every answer: it is the only one, and the watermark that its
//     durability names has reached it;
//   - S3: at every read: it gives what the model has at that place, by offset, by
//     time and by key;
//   - S4: at rest: everything is dispatched and every put answered; a store that
//     does not come to rest on a healthy disk is stuck;
//   - S5: at every opening and at the end: package oracle, the verifier of all
//     rigs;
//   - S6: an error on a healthy disk, and a panic anywhere, is a violation; what
//     was closed has let go all files and maps.
//
// # Does it find anything?
//
// TestPlanted plants faults into the shells and the disk (Plant), and each is found
// within seconds.
//
// # Commands
//
//	go test ./tests/sim                                   2,000 seeds
//	go test ./tests/sim -sim.seed 7 -sim.trace            one seed, every step
//	go test ./tests/sim -sim.seed 7 -sim.only 3,7,20-25   some of its steps
//	go test ./tests/sim -timeout 0 -run Sim -sim.for 1h -sim.ledger $PWD/tests/ledger.csv
//
// # Assumptions
//
// Steps of different actors do not run at the same time, but inside a sync. What
// two threads do to the same memory is the business of the race detector.
package sim
