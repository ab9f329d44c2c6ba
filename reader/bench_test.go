package reader

import (
	"strings"
	"sync/atomic"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// hot is a store on the disk of the machine with 1 KiB messages.
func hot(b *testing.B, n int) *store {
	s := newStore(b, shape{fs: mapped.OS(), root: b.TempDir(), segment: 64 << 20, queueFile: 6_000_000})
	body := strings.Repeat("x", 1024)
	for range n {
		m := message("TopicTest", 0, body)
		m.SetTags("TagA")
		s.now++
		s.appendAt(m, s.now)
	}
	s.dispatch()
	return s
}

var touched atomic.Int64

// touch reads one byte of each cache line of a body.
func touch(m *record.MessageExt) (sum int64) {
	for i := 0; i < len(m.Body); i += 64 {
		sum += int64(m.Body[i])
	}
	return sum
}

const hotMessages = 40_000

func benchmarkGet(b *testing.B, req GetRequest) {
	s := hot(b, hotMessages)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		var g GetResult
		req, left, sum := req, 0, int64(0)
		for pb.Next() {
			if left == 0 {
				if err := s.r.Get(ctx, req, &g); err != nil || g.Status != Found {
					b.Errorf("%v %v", g.Status, err)
					return
				}
				left = len(g.Messages)
				for i := range g.Messages {
					sum += touch(&g.Messages[i])
				}
				if req.Offset = g.NextOffset; !g.More {
					req.Offset = 0
				}
			}
			left--
		}
		touched.Add(sum)
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
}

// One operation is one message.
func BenchmarkGet(b *testing.B) {
	benchmarkGet(b, GetRequest{Topic: "TopicTest", MaxCount: 32})
}

func BenchmarkGetSkipCRC(b *testing.B) {
	benchmarkGet(b, GetRequest{Topic: "TopicTest", MaxCount: 32, SkipCRC: true})
}

func BenchmarkGetTags(b *testing.B) {
	benchmarkGet(b, GetRequest{Topic: "TopicTest", MaxCount: 32, Tags: "TagA || TagB"})
}

func BenchmarkView(b *testing.B) {
	s := hot(b, hotMessages)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		req, left, sum := GetRequest{Topic: "TopicTest", MaxCount: 32}, 0, int64(0)
		fn := func(m *record.MessageExt) error {
			sum += touch(m)
			return nil
		}
		for pb.Next() {
			if left == 0 {
				v, err := s.r.View(ctx, req, fn)
				if err != nil || v.Status != Found {
					b.Errorf("%v %v", v.Status, err)
					return
				}
				left = v.Count
				if req.Offset = v.NextOffset; !v.More {
					req.Offset = 0
				}
			}
			left--
		}
		touched.Add(sum)
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds()/1e6, "Mmsg/s")
}
