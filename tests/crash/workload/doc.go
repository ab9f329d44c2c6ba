// Package workload makes what the rigs do to a store: puts of every kind, and
// what goes on beside them.
//
// # Promise
//
// The operations of a Plan follow from its seed and the first serial number
// alone, not from what the store answers, so another process can make the same
// ones again. A Runner carries them out and tells the oracle of every sending
// and every answer.
//
// # Plans
//
//	single     puts one at a time, some with WAIT=false
//	batch      batches of 1 to 12, single puts between them
//	queues     many topics and queues
//	bodies     bodies of many pages
//	roll       segments of 4 KiB, every few records a new one
//	keys       several keys a message, index files of a few entries
//	kinds      transactions, light queues, inner batches, delays, odd names
//	delete     topics that are deleted and made again
//	retention  a log that is bounded and loses its oldest segments
//	clock      a wall clock that is set forwards and back
//	mix        all of it
package workload
