package consumequeue_test

import (
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	cq "github.com/actorstore/actorstore/consumequeue"
)

func benchStore(b *testing.B) *cq.Store {
	dir := b.TempDir()
	s := open(b, cq.Options{FS: mapped.OS(), Dir: dir + "/consumequeue", TmpDir: dir + "/tmp"})
	b.Cleanup(func() { s.Close() })
	return s
}

func BenchmarkAppend(b *testing.B) {
	for _, n := range []int64{1, 32, 256} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			q := ensure(b, benchStore(b), "topic", 0, cq.Simple)
			list := entries(0, n)
			for b.Loop() {
				noErr(b, q.Append(list))
				for i := range list {
					list[i].QueueOffset += n
					list[i].PhysicalOffset += n * recSize
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "units/s")
		})
	}
}

func BenchmarkRead(b *testing.B) {
	q := ensure(b, benchStore(b), "topic", 0, cq.Simple)
	noErr(b, q.Append(entries(0, 100000)))
	for _, n := range []int64{1, 32, 256} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			buf := make([]cq.Unit, n)
			at := int64(0)
			for b.Loop() {
				if _, err := q.Read(at, buf); err != nil {
					b.Fatal(err)
				}
				at = (at + n) % 99000
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "units/s")
		})
	}
}

func BenchmarkFindQueue(b *testing.B) {
	s := benchStore(b)
	for i := range 10000 {
		ensure(b, s, fmt.Sprintf("topic-%d", i/4), int32(i%4), cq.Simple)
	}
	for b.Loop() {
		if s.Queue("topic-777", 2) == nil {
			b.Fatal("not found")
		}
	}
}

func BenchmarkCreateQueue(b *testing.B) {
	s := open(b, machineOptions(b, mkdirFS{FS: mapped.OS()}))
	defer s.Close()
	one := entries(0, 1)
	i := 0
	for b.Loop() {
		noErr(b, ensure(b, s, fmt.Sprintf("topic-%d", i/4), int32(i%4), cq.Simple).Append(one))
		i++
	}
}

func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	o := cq.Options{FS: mapped.OS(), Dir: dir + "/consumequeue", TmpDir: dir + "/tmp"}
	s := open(b, o)
	noErr(b, ensure(b, s, "topic", 0, cq.Simple).Append(entries(0, 5)))
	noErr(b, s.Close())
	for b.Loop() {
		s := open(b, o)
		noErr(b, s.Queue("topic", 0).Load())
	}
}
