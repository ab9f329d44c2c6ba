// Command bench prints how actorstore does beside a log under a mutex (package
// mutexlog) and beside Apache RocketMQ's own store, with the same bodies, queues,
// producers and windows, the runs in turn, the median of several.
//
// The Go benchmarks of this folder measure what that table does not show: a store
// of 100,000 queues, memory for a put in flight, recovery.
package main
