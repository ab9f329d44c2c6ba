package indexsvc_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
)

// Queries, flushes, deletions and drops go on beside the writer. A reader sees
// every record that was put before its query began, newest first.
func TestBesideTheWriter(t *testing.T) {
	const records = 4000
	s := open(t, newFS(), 13, 200)
	var put_, minPhy atomic.Int64
	var stop atomic.Bool
	var readers, others sync.WaitGroup
	for i := range 3 {
		readers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for !stop.Load() {
				from, upTo := minPhy.Load(), put_.Load()
				k := r.Int64N(5)
				last, n := int64(records), int64(0)
				err := s.Query("T", string(rune('a'+k)), 0, func(phy int64) bool {
					if phy%5 != k || phy >= last {
						t.Errorf("key %d: %d after %d", k, phy, last)
					}
					if phy >= from && phy < upTo {
						n++
					}
					last = phy
					return true
				})
				// Records may expire while the query runs, but not appear late.
				if after := minPhy.Load(); err != nil || after == from && n < (upTo-from)/5 {
					t.Errorf("key %d: %d of %d..%d: %v", k, n, from, upTo, err)
				}
			}
		})
	}
	others.Go(func() {
		for !stop.Load() {
			if err := s.Flush(); err != nil {
				t.Error(err)
			}
			s.FlushedEndTimestamp()
			s.Files()
			s.EndPhyOffset()
		}
	})
	others.Go(func() {
		for !stop.Load() {
			at := max(0, put_.Load()-1000)
			minPhy.Store(at)
			if _, err := s.DeleteExpired(at); err != nil {
				t.Error(err)
			}
		}
	})
	for i := int64(0); i < records; i += 10 {
		for j := i; j < i+10; j++ {
			put(t, s, key(j, string(rune('a'+j%5))))
		}
		put_.Store(i + 10)
	}
	stop.Store(true)
	readers.Wait()
	others.Wait()
	verify(t, s)
}

// Files are dropped and built again under running queries.
func TestDropBesideQueries(t *testing.T) {
	s := open(t, newFS(), 13, 20)
	var stop atomic.Bool
	var readers sync.WaitGroup
	for range 2 {
		readers.Go(func() {
			for !stop.Load() {
				last := int64(1000)
				if err := s.Query("T", "k", 0, func(phy int64) bool {
					if phy >= last {
						t.Errorf("%d after %d", phy, last)
					}
					last = phy
					return true
				}); err != nil {
					t.Error(err)
				}
				if err := s.Flush(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 30 {
		for i := int64(0); i < 100; i++ {
			put(t, s, key(i, "k"))
		}
		if err := s.TruncatePhysical(50, ""); err != nil {
			t.Fatal(err)
		}
	}
	stop.Store(true)
	readers.Wait()
}
