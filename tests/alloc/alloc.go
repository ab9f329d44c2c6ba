package alloc

import (
	"fmt"
	"math"
	"runtime"
	"runtime/metrics"
	"sync/atomic"
)

const (
	looked = 1000 // so many calls are all looked at
	sample = 16   // and then one of so many
	tries  = 3
)

var calls atomic.Int64

// Check parses an input of n bytes. Parse may be called several times.
func Check(n, fixed int, parse func()) error {
	if c := calls.Add(1); c > looked && c%sample != 0 {
		parse()
		return nil
	}
	limit := 2*uint64(n) + uint64(fixed)
	largest := uint64(math.MaxUint64)
	for range tries {
		if largest = min(largest, Largest(parse)); largest <= limit {
			return nil
		}
	}
	return fmt.Errorf("%d bytes were parsed with an allocation of %d bytes, at most %d are allowed", n, largest, limit)
}

// Largest is the largest allocation of a call, or the sum of those above 32 KiB.
func Largest(call func()) (largest uint64) {
	before := take()
	call()
	after := take()
	rest := after.total - before.total
	for i, n := range before.counts {
		many := after.counts[i] - n
		switch smallest, next := after.sizes[i], after.sizes[i+1]; {
		case many == 0:
		case !math.IsInf(next, 1):
			largest = uint64(smallest)
			rest -= min(rest, many*uint64(next-1))
		default:
			largest = max(uint64(smallest), rest)
		}
	}
	return largest
}

// heap is what was allocated so far, by size classes.
type heap struct {
	total  uint64
	counts []uint64
	sizes  []float64 // the smallest of each class, and infinity
}

func take() heap {
	var m runtime.MemStats
	runtime.ReadMemStats(&m) // brings what each processor has counted together
	s := []metrics.Sample{{Name: "/gc/heap/allocs-by-size:bytes"}}
	metrics.Read(s)
	h := s[0].Value.Float64Histogram()
	return heap{m.TotalAlloc, h.Counts, h.Buckets}
}
