package reader

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// TestReadsBesideWrites: readers of every kind beside appends and retention see
// the right message or that it is not there, never another (F36).
func TestReadsBesideWrites(t *testing.T) {
	s := newStore(t, shape{segment: 16 << 10, queueFile: 2000, indexKeys: 200})
	const total = 3000
	var wg sync.WaitGroup
	var end atomic.Bool
	check := func(m *record.MessageExt) error {
		if want := fmt.Sprintf("T-%06d", m.QueueOffset); !strings.HasPrefix(string(m.Body), want) {
			return fmt.Errorf("at %d: %.20q", m.QueueOffset, m.Body)
		}
		return nil
	}
	read := func(fn func(rnd *rand.Rand) error) {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(5, 6))
			for !end.Load() {
				if err := fn(rnd); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	var g GetResult
	var next int64
	read(func(*rand.Rand) error {
		err := s.r.Get(ctx, GetRequest{Topic: "T", Offset: next, MaxCount: 16}, &g)
		for i := range g.Messages {
			if err == nil {
				err = check(&g.Messages[i])
			}
		}
		if next = g.NextOffset; g.Status == OffsetOverflowOne {
			next = 0
		}
		return err
	})
	read(func(rnd *rand.Rand) error {
		_, err := s.r.View(ctx, GetRequest{Topic: "T", Offset: rnd.Int64N(total), MaxCount: 16}, check)
		return err
	})
	read(func(rnd *rand.Rand) error {
		offset := rnd.Int64N(s.log.Appended()+64<<10) - 32<<10
		m, err := s.r.Lookup(ctx, offset)
		if err == nil {
			return check(m)
		}
		var missing *commitlog.MissingError
		if errors.As(err, &missing) || errors.Is(err, ErrNoRecord) {
			return nil
		}
		return err
	})
	read(func(rnd *rand.Rand) error {
		i := rnd.IntN(total)
		q, err := s.r.Query(ctx, QueryRequest{Topic: "T", Key: fmt.Sprint("k", i)})
		if err == nil && len(q.Messages) > 0 && q.Messages[0].QueueOffset != int64(i) {
			err = fmt.Errorf("k%d gives %d", i, q.Messages[0].QueueOffset)
		}
		return err
	})
	for i := range total {
		m := keyed("T", fmt.Sprintf("T-%06d%s", i, strings.Repeat(".", i%300)), fmt.Sprint("k", i))
		s.put(m)
		if i%500 == 499 {
			s.retain("T", s.log.Appended()-64<<10)
		}
	}
	end.Store(true)
	wg.Wait()
}

// retain lets log, one queue and index give up what lies below an offset.
func (s *store) retain(topic string, below int64) {
	s.t.Helper()
	s.expire(below)
	_, err := s.queues.Queue(topic, 0).DeleteExpired(s.log.Min())
	s.must(err)
	_, err = s.index.DeleteExpired(s.log.Min())
	s.must(err)
}

// TestRandomReads (F36): random offsets while segments are taken away, on a real
// disk, where a wrong step would be a fault.
func TestRandomReads(t *testing.T) {
	s := newStore(t, shape{fs: mapped.OS(), root: t.TempDir(), segment: 16 << 10})
	at := s.fill("T", 0, 600, 200)
	var wg sync.WaitGroup
	var end atomic.Bool
	for w := range 3 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(w), 1))
			for !end.Load() {
				i := rnd.IntN(len(at))
				m, err := s.r.Lookup(ctx, at[i].PhysicalOffset)
				var missing *commitlog.MissingError
				if err == nil && m.QueueOffset != int64(i) || err != nil && !errors.As(err, &missing) {
					t.Errorf("%d: %v", i, err)
					return
				}
			}
		})
	}
	s.must(s.log.Syncer().Flush())
	for i := 0; i < len(at); i += 20 {
		_, err := s.log.ExpireBelow(at[i].PhysicalOffset)
		s.must(err)
	}
	end.Store(true)
	wg.Wait()
	if s.log.Min() == 0 {
		t.Error("nothing was deleted")
	}
}
