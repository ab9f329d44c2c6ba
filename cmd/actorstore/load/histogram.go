package load

import (
	"math"
	"math/bits"
	"time"
)

// Histogram counts durations in buckets whose width is less than a hundredth of
// their value. It takes no memory after it was made.
type Histogram struct {
	buckets [histogramSize]uint64
	count   uint64
	sum     uint64
	most    uint64
}

// A value below 2^8 has a bucket of its own; above that the eight leading bits
// choose it.
const (
	histogramBits = 7
	histogramHalf = 1 << histogramBits
	histogramSize = (64 - histogramBits + 1) * histogramHalf
)

// Add counts a duration; a negative one counts as 0.
func (h *Histogram) Add(d time.Duration) {
	v := uint64(max(d, 0))
	h.buckets[bucketOf(v)]++
	h.count++
	h.sum += v
	h.most = max(h.most, v)
}

func bucketOf(v uint64) int {
	shift := max(bits.Len64(v)-histogramBits-1, 0)
	return shift*histogramHalf + int(v>>shift)
}

// bucketMost is the largest value of a bucket.
func bucketMost(i int) uint64 {
	shift := max(i/histogramHalf-1, 0)
	return (uint64(i-shift*histogramHalf)+1)<<shift - 1
}

// Merge adds the counts of another histogram.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.buckets {
		h.buckets[i] += n
	}
	h.count += o.count
	h.sum += o.sum
	h.most = max(h.most, o.most)
}

// Rank is the smallest duration that at least this share of all do not exceed,
// rounded up to the end of its bucket.
func (h *Histogram) Rank(share float64) time.Duration {
	want := max(uint64(math.Ceil(share*float64(h.count))), 1)
	var seen uint64
	for i, n := range h.buckets {
		if seen += n; seen >= want {
			return time.Duration(min(bucketMost(i), h.most))
		}
	}
	return time.Duration(h.most)
}

// Mean is the mean of all that were added, 0 of none.
func (h *Histogram) Mean() time.Duration {
	if h.count == 0 {
		return 0
	}
	return time.Duration(h.sum / h.count)
}

// Max is the longest duration that was added.
func (h *Histogram) Max() time.Duration { return time.Duration(h.most) }
