package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
)

// BenchmarkOpen100000Queues makes a store of 100,000 queues once and opens it:
// time, heap, maps and descriptors with all of them known.
func BenchmarkOpen100000Queues(b *testing.B) {
	const topics, queues = 20_000, 5
	ctx := context.Background()
	o := actorstore.DefaultOptions(b.TempDir())
	o.MappedFileSizeCommitLog = 64 << 20
	o.MessageIndexEnable = false
	fill(b, ctx, o, topics, queues)
	for b.Loop() {
		before := heap()
		began := time.Now()
		s, err := actorstore.Open(ctx, o)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(time.Since(began).Seconds(), "open_s")
		n := 0
		for _, t := range s.Topics() {
			n += len(t.Queues)
		}
		if n != topics*queues {
			b.Fatalf("%d queues, want %d", n, topics*queues)
		}
		b.ReportMetric(float64(heap()-before)/(1<<20), "heap_MB")
		b.ReportMetric(float64(entries(b, "/proc/self/fd")), "fds")
		b.ReportMetric(float64(maps(b)), "maps")
		if err := s.Close(ctx); err != nil {
			b.Fatal(err)
		}
	}
}

func fill(b *testing.B, ctx context.Context, o actorstore.Options, topics, queues int) {
	b.Helper()
	s, err := actorstore.Open(ctx, o)
	if err != nil {
		b.Fatal(err)
	}
	for t := range topics {
		for q := range queues {
			m := actorstore.Message{Topic: fmt.Sprintf("topic-%05d", t), QueueID: int32(q), Body: []byte("x")}
			if _, err := s.Put(ctx, &m); err != nil {
				b.Fatal(err)
			}
		}
	}
	if err := s.Close(ctx); err != nil {
		b.Fatal(err)
	}
}

func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

func entries(b *testing.B, dir string) int {
	b.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		b.Fatal(err)
	}
	return len(list)
}

func maps(b *testing.B) int {
	b.Helper()
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		b.Fatal(err)
	}
	return strings.Count(string(text), "\n")
}
