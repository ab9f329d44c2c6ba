package commitlog_test

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Appender, Syncer, Allocator, retention and readers side by side. Every read
// gives the right record or says that it is not there; the watermarks keep I1;
// the flushed pair is a pair.
func TestAllAtOnce(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		const segmentSize, puts = 16 << 10, 800
		b := begin(t, fs, root, mode, sized(segmentSize), withCRC)
		var done atomic.Bool
		var group sync.WaitGroup
		var mu sync.Mutex
		var places []commitlog.Appended
		loop := func(fn func(rng *rand.Rand)) {
			group.Go(func() {
				rng := rand.New(rand.NewPCG(3, 4))
				for !done.Load() {
					fn(rng)
				}
			})
		}
		group.Go(func() {
			defer done.Store(true)
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range puts {
				at := b.put(message("t", int32(i%3), 120+rng.IntN(900)))
				if i%5 == 0 {
					b.publish()
					b.log.SetConfirm(b.log.Appended())
					mu.Lock()
					places = append(places, at)
					mu.Unlock()
				}
			}
		})
		loop(func(*rand.Rand) {
			if err := b.disk.Flush(); err != nil {
				t.Errorf("flush: %v", err)
			}
			b.log.SetDispatched(min(b.log.Confirm(), b.log.Flushed()))
			if _, err := b.log.ExpireBelow(b.log.Dispatched() - 4*segmentSize); err != nil {
				t.Errorf("expire: %v", err)
			}
		})
		loop(func(*rand.Rand) {
			b.alloc.Populate()
			if _, err := b.alloc.Prepare(); err != nil {
				t.Errorf("prepare: %v", err)
			}
		})
		for range 2 {
			loop(func(rng *rand.Rand) {
				m := marks(b.log)
				if low, dispatched := m[0], m[1]; low > b.log.Dispatched() || dispatched > b.log.Confirm() || b.log.Flushed() > b.log.Appended() {
					t.Errorf("I1: %v", m)
				}
				if start, end, ok := b.log.FlushedRecord(); ok {
					checkPair(t, b.log, start, end)
				}
				mu.Lock()
				list := places
				mu.Unlock()
				if len(list) > 0 {
					checkRecord(t, b.log, list[rng.IntN(len(list))])
				}
			})
		}
		group.Wait()
		noErr(t, b.disk.Flush())
		equal(t, "flushed", b.log.Flushed(), b.log.Appended())
	})
}

func checkRecord(t *testing.T, log *commitlog.Log, at commitlog.Appended) {
	err := log.Reader().View(at.PhysicalOffset, at.Size, func(p []byte) error {
		return record.Verify(p, at.PhysicalOffset, record.CRCRecord)
	})
	var missing *commitlog.MissingError
	if err != nil && (!errors.As(err, &missing) || at.PhysicalOffset >= log.Min()) {
		t.Errorf("record at %d: %v", at.PhysicalOffset, err)
	}
}

// checkPair proves that one record fills [start, end).
func checkPair(t *testing.T, log *commitlog.Log, start, end int64) {
	err := log.Reader().View(start, int(end-start), func(p []byte) error {
		if size, _, err := record.Measure(p); err != nil || size != len(p) {
			t.Errorf("FlushedRecord [%d, %d): a record of %d bytes, %v", start, end, size, err)
		}
		return record.Verify(p, start, record.CRCRecord)
	})
	if err != nil && start >= log.Min() { // else it has expired meanwhile
		t.Errorf("FlushedRecord [%d, %d): %v", start, end, err)
	}
}

// Several makers of segments make each only once.
func TestTakeAtOnce(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := begin(t, fs, root, mode)
		for i := range int64(20) {
			var group sync.WaitGroup
			got := make([]*mapped.MappedFile, 4)
			for k := range got {
				group.Go(func() {
					f, err := b.alloc.Take(i * segment)
					if err != nil {
						t.Errorf("take: %v", err)
					}
					got[k] = f
				})
			}
			group.Wait()
			for _, f := range got {
				if f != got[0] {
					t.Fatal("two segments for one offset")
				}
			}
		}
		equal(t, "segments", len(b.log.Segments()), 20)
	})
}
