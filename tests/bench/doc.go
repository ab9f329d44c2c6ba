// Command bench prints how actorstore does beside a log under a mutex (package
// mutexlog) and beside Apache RocketMQ's own store, with the same bodies, queues,
// producers and windows, the runs in turn, the median of several.
//
// With -recover it prints how long both engines take to open a store of one GiB
// whose process was killed, made by the one and by the other.
//
// The Go benchmarks of this folder measure what the tables do not show: a store
// of 100,000 queues, memory for a put in flight. The rate at which a log is
// scanned and verified is BenchmarkScan of recoverer.
package main
