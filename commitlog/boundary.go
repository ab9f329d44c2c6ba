package commitlog

import "sync/atomic"

// boundary is the start of the record that ends at a watermark. The writer of
// the watermark stores the start first, so a reader that sees the watermark
// unchanged around its look, and a start below it, has a pair that belongs
// together.
type boundary struct{ start atomic.Int64 }

// read gives the start of the last record below a watermark and the watermark;
// false if there is none, or the writer is just moving both.
func (b *boundary) read(watermark *mark) (start, end int64, ok bool) {
	end = watermark.v.Load()
	start = b.start.Load()
	return start, end, start >= 0 && start < end && watermark.v.Load() == end
}

// FlushedRecord is the last record that is durable: it starts at start and ends
// at the flushed watermark. It is false while that is not known.
func (l *Log) FlushedRecord() (start, end int64, ok bool) {
	return l.synced.read(&l.flushed)
}

// RestoreLast tells where the last record of a recovered log starts; everything
// below the end is durable. Nobody may use the log meanwhile.
func (l *Log) RestoreLast(start int64) {
	l.last.start.Store(start)
	l.synced.start.Store(start)
}
