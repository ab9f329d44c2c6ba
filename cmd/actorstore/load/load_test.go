package load

import (
	"math/rand"
	"slices"
	"testing"
	"time"
)

// The numbers that java.util.Random is known for.
func TestJavaRandom(t *testing.T) {
	b := make([]byte, 10)
	newJavaRandom(42).fill(b)
	for i, want := range []int32{-1170105035, 234785527} {
		if got := int32(uint32(b[4*i]) | uint32(b[4*i+1])<<8 | uint32(b[4*i+2])<<16 | uint32(b[4*i+3])<<24); got != want {
			t.Errorf("number %d: %d, want %d", i, got, want)
		}
	}
}

func TestHistogram(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	var h, part Histogram
	var all []time.Duration
	for i := range 20_000 {
		d := time.Duration(random.ExpFloat64() * float64(time.Millisecond))
		all = append(all, d)
		if i%3 == 0 {
			part.Add(d)
		} else {
			h.Add(d)
		}
	}
	h.Merge(&part)
	slices.Sort(all)
	for _, share := range []float64{0.001, 0.5, 0.99, 0.999, 1} {
		want := all[max(int(share*float64(len(all)))-1, 0)]
		if got := h.Rank(share); got < want || float64(got) > 1.01*float64(want) {
			t.Errorf("rank %v: %v, want %v to one percent above", share, got, want)
		}
	}
	for _, v := range []uint64{0, 1, 127, 128, 255, 256, 257, 1 << 20, 1<<63 - 1} {
		if most := bucketMost(bucketOf(v)); most < v || most-v > v/histogramHalf {
			t.Errorf("bucket of %d ends at %d", v, most)
		}
	}
}
