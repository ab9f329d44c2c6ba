package flusher

import "time"

// pageSize is the page that RocketMQ's least-pages option counts in.
const pageSize = 4096

// Policy is when ASYNC_FLUSH flushes (RocketMQ's FlushRealTimeService).
type Policy struct {
	Interval         time.Duration // between passes (FlushIntervalCommitLog)
	LeastPages       int64         // pages that make a pass worth while; 0 = any
	ThoroughInterval time.Duration // between passes that take anything

	lastThorough time.Time
}

// Step decides at time now whether to flush a log with these watermarks.
func (p *Policy) Step(now time.Time, flushed, appended int64) bool {
	if p.lastThorough.IsZero() || now.Sub(p.lastThorough) >= p.ThoroughInterval {
		p.lastThorough = now
		return appended > flushed
	}
	if p.LeastPages <= 0 {
		return appended > flushed
	}
	return appended/pageSize-flushed/pageSize >= p.LeastPages
}
