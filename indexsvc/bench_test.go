package indexsvc_test

import (
	"strconv"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
)

func benchService(b *testing.B) *indexsvc.Service {
	b.Helper()
	root := b.TempDir()
	s, err := indexsvc.Open(indexsvc.Options{FS: mapped.OS(), Dir: root + "/index", TmpDir: root + "/tmp",
		MaxHashSlotNum: 500_000, MaxIndexNum: 2_000_000})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { s.Close() })
	return s
}

// BenchmarkPutKeyless is a record without keys, in batches of 256.
func BenchmarkPutKeyless(b *testing.B) {
	s := benchService(b)
	batch := make([]record.DispatchRequest, 256)
	for i := range batch {
		batch[i] = key(int64(i), "")
	}
	b.ReportAllocs()
	for i := 0; i < b.N; i += len(batch) {
		if err := s.Put(batch); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkPut is a record with a unique key, one key and tags: three entries.
func BenchmarkPut(b *testing.B) {
	s := benchService(b)
	batch := make([]record.DispatchRequest, 256)
	for i := range batch {
		batch[i] = rec(0, t0, "TopicTest", "AC11000100002A9F00000000000000"+strconv.Itoa(i), "order-"+strconv.Itoa(i), "TagA")
	}
	b.ReportAllocs()
	phy := int64(0)
	for i := 0; i < b.N; i += len(batch) {
		for j := range batch {
			phy += 200
			batch[j].PhysicalOffset = phy
			copy(batch[j].Keys, strconv.FormatInt(phy, 36))
		}
		if err := s.Put(batch); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkQuery finds one record of a million.
func BenchmarkQuery(b *testing.B) {
	s := benchService(b)
	for i := range int64(1_000_000) {
		if err := s.Put([]record.DispatchRequest{key(i, "k"+strconv.FormatInt(i, 10))}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i++ {
		n := 0
		if err := s.Query("T", "k"+strconv.Itoa(i%1_000_000), 64, func(int64) bool { n++; return true }); err != nil || n == 0 {
			b.Fatal(n, err)
		}
	}
}
