package main

import (
	"encoding/json"
	"math/rand"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestBench(t *testing.T) {
	for _, flags := range []string{"", "--producers 3 --window 4 --keyed --flush sync --readers 2 --queues 5 --warmup 0"} {
		dir := filepath.Join(t.TempDir(), "b")
		o := succeeds(t, with(with(small, strings.Fields(flags)...), "bench", dir, "--json", "--count", "500", "--size", "100")...)
		var got map[string]any
		if err := json.Unmarshal([]byte(o.out), &got); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"put_per_s", "ack_per_s", "p50_us", "p99_us", "p999_us", "max_us", "mean_us", "get_per_s", "get_view_per_s", "segments"} {
			if v, ok := got[name].(float64); !ok || v <= 0 {
				t.Errorf("%s: %v", name, got[name])
			}
		}
		for _, name := range []string{"put_allocs", "put_alloc_bytes", "get_allocs", "producers", "window", "size", "count", "queues", "flush", "warmup", "readers", "bodies", "seed", "keyed"} {
			if _, ok := got[name]; !ok {
				t.Errorf("%s is missing", name)
			}
		}
		succeeds(t, with(geometry, "verify", dir)...)
	}
}

func TestBenchForPeople(t *testing.T) {
	o := succeeds(t, with(small, "bench", filepath.Join(t.TempDir(), "b"), "--count", "100", "--warmup", "0")...)
	if l := o.lines(); !strings.HasPrefix(l[0], "1 producers, window 1, 1 KiB bodies") || !strings.HasPrefix(l[1], "put_per_s ") {
		t.Errorf("got %s", o.out)
	}
}

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
	var h, part histogram
	var all []time.Duration
	for i := range 20_000 {
		d := time.Duration(random.ExpFloat64() * float64(time.Millisecond))
		all = append(all, d)
		if i%3 == 0 {
			part.add(d)
		} else {
			h.add(d)
		}
	}
	h.merge(&part)
	slices.Sort(all)
	for _, share := range []float64{0.001, 0.5, 0.99, 0.999, 1} {
		want := all[max(int(share*float64(len(all)))-1, 0)]
		if got := h.rank(share); got < want || float64(got) > 1.01*float64(want) {
			t.Errorf("rank %v: %v, want %v to one percent above", share, got, want)
		}
	}
	for _, v := range []uint64{0, 1, 127, 128, 255, 256, 257, 1 << 20, 1<<63 - 1} {
		if most := bucketMost(bucketOf(v)); most < v || most-v > v/histogramHalf {
			t.Errorf("bucket of %d ends at %d", v, most)
		}
	}
}
