package main

import "strings"

// cell is one line of the table: a load, and what is wanted beside each peer.
type cell struct {
	name              string
	producers, window int
	count             int
	sync              bool
	mutex, rocketmq   float64 // ratios wanted, 0 = none
	tail              bool    // p99.9 is wanted at most a fifth of RocketMQ's
	reads             bool    // get and view are wanted beside RocketMQ
}

// The loads of the table. Async runs are 2 million messages; sync runs stay
// under 200 MB, beyond which disks like to throttle.
var cells = []cell{
	{name: "ASYNC 1 producer", producers: 1, window: 1, count: 2_000_000, mutex: 0.3, rocketmq: 2},
	{name: "ASYNC 8 producers", producers: 8, window: 1, count: 2_000_000, mutex: 0.7, rocketmq: 4},
	{name: "ASYNC 64 producers", producers: 64, window: 1, count: 2_000_000, mutex: 0.7, rocketmq: 4, tail: true, reads: true},
	{name: "ASYNC 64 x 32 in flight", producers: 64, window: 32, count: 2_000_000, mutex: 1.0, rocketmq: 4},
	{name: "SYNC 64 producers", producers: 64, window: 1, count: 120_000, sync: true, mutex: 0.9, rocketmq: 4},
	{name: "SYNC 256 producers", producers: 256, window: 1, count: 150_000, sync: true, mutex: 0.9, rocketmq: 8},
}

func (c cell) matches(part string) bool { return strings.Contains(c.name, part) }

func (c cell) flush() string {
	if c.sync {
		return "sync"
	}
	return "async"
}
