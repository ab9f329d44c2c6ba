package consumequeue_test

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// readBeside reads at random until stop, and proves every unit it gets.
func readBeside(t *testing.T, s *cq.Store, queues int32, seed uint64, stop *atomic.Bool) {
	rng := rand.New(rand.NewPCG(seed, 1))
	buf := make([]cq.Unit, 40)
	for !stop.Load() {
		q := s.Queue("topic", rng.Int32N(queues))
		if q == nil {
			continue
		}
		lo, hi := q.MinOffset(), q.MaxOffset()
		at := lo - 30 + rng.Int64N(max(hi-lo, 1)+60)
		n, err := q.Read(at, buf[:1+rng.IntN(len(buf))])
		if err == cq.ErrOffsetTooSmall && at < q.MinOffset() {
			continue
		}
		if err != nil {
			t.Errorf("read at %d of [%d, %d): %v", at, lo, hi, err)
			return
		}
		for i := range buf[:n] {
			if buf[i] != unit(at+int64(i)) {
				t.Errorf("unit %d is %+v", at+int64(i), buf[i])
				return
			}
		}
		if rng.IntN(20) == 0 {
			at, err := q.OffsetByTime(rng.Int64N(20000), cq.Boundary(rng.IntN(2)), func(u cq.Unit) (int64, error) {
				return stamp(u.Base), nil
			})
			if err != nil || at < lo {
				t.Errorf("offset by time %d, minimum was %d: %v", at, lo, err)
				return
			}
		}
	}
}

// F36: readers at random offsets beside a writer of each queue, expiry from the
// front, eviction (two files may be open) and Sync. Each read gives the right
// units or none.
func TestF36ReadersBesideEverything(t *testing.T) {
	const queues, rounds = 3, 80
	for name, fsys := range map[string]mapped.FS{"memory": mappedtest.NewFS(), "machine": mapped.OS()} {
		t.Run(name, func(t *testing.T) {
			o := options(fsys)
			if name == "machine" {
				dir := t.TempDir()
				o.Dir, o.BatchDir, o.ExtDir, o.TmpDir = dir+"/consumequeue", "", "", dir+"/tmp"
			}
			o.MaxOpenFiles = 2
			s := open(t, o)
			defer s.Close()
			var stop atomic.Bool
			var readers, writers sync.WaitGroup
			for seed := range uint64(4) {
				readers.Go(func() { readBeside(t, s, queues, seed, &stop) })
			}
			for id := range int32(queues) {
				q := ensure(t, s, "topic", id, cq.Simple)
				writers.Go(func() {
					for at := int64(0); at < rounds*7; at += 7 {
						if err := q.Append(entries(at, at+7)); err != nil {
							t.Error(err)
							return
						}
						if at%35 == 0 {
							if _, err := q.DeleteExpired(physical(at - 40)); err != nil {
								t.Error(err)
							}
						}
					}
				})
			}
			for range 20 {
				if _, err := s.Sync(); err != nil {
					t.Error(err)
				}
			}
			writers.Wait()
			stop.Store(true)
			readers.Wait()
			for q := range s.All() {
				wantUnits(t, q)
			}
		})
	}
}

// Readers beside a queue that is cut, filled again, rewritten, emptied and
// destroyed, on the machine's own maps.
func TestReadersBesideCuts(t *testing.T) {
	dir := t.TempDir()
	o := cq.Options{FS: mapped.OS(), Dir: dir + "/consumequeue", TmpDir: dir + "/tmp", FileSize: fileSize, MaxOpenFiles: 3}
	s := open(t, o)
	defer s.Close()
	var stop atomic.Bool
	var readers sync.WaitGroup
	for seed := range uint64(3) {
		readers.Go(func() { readLoose(t, s, seed, &stop) })
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 30 {
		q := ensure(t, s, "topic", 0, cq.Simple)
		noErr(t, q.Append(entries(q.MaxOffset(), q.MaxOffset()+30)))
		at := rng.Int64N(q.MaxOffset())
		noErr(t, q.Rewrite(at, entry(at)))
		noErr(t, q.TruncateTo(at))
		switch rng.IntN(8) {
		case 0:
			noErr(t, q.Reset(""))
		case 1:
			noErr(t, q.Destroy())
		}
	}
	stop.Store(true)
	readers.Wait()
}

// readLoose accepts that a queue ends earlier than it did, but no wrong unit.
func readLoose(t *testing.T, s *cq.Store, seed uint64, stop *atomic.Bool) {
	rng := rand.New(rand.NewPCG(seed, 2))
	buf := make([]cq.Unit, 25)
	for !stop.Load() {
		q := s.Queue("topic", 0)
		if q == nil {
			continue
		}
		at := rng.Int64N(q.MaxOffset() + 1)
		n, err := q.Read(at, buf)
		if err != nil && err != cq.ErrDeleted && err != cq.ErrOffsetTooSmall {
			t.Errorf("read at %d: %v", at, err)
			return
		}
		for i := range buf[:n] {
			if buf[i] != unit(at+int64(i)) {
				t.Errorf("unit %d is %+v", at+int64(i), buf[i])
				return
			}
		}
	}
}

func TestFindBesideEnsure(t *testing.T) {
	s := open(t, options(mappedtest.NewFS()))
	var wg sync.WaitGroup
	for w := range int32(4) {
		wg.Go(func() {
			for id := range int32(300) {
				q, err := s.Ensure("topic", id, cq.Simple)
				if err != nil {
					t.Errorf("queue %d: %v", id, err)
					return
				}
				if id%50 == 48 {
					continue // worker 0 destroys it
				}
				if s.Queue("topic", id) != q || q.ID() != id {
					t.Errorf("queue %d is found as another", id)
				}
				if w == 0 && id%50 == 49 {
					if err := ensure(t, s, "topic", id-1, cq.Simple).Destroy(); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	n := 0
	for range s.All() {
		n++
	}
	if n < 294 || n > 300 {
		t.Fatalf("%d queues", n)
	}
}
