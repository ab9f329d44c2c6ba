package consumequeue_test

import (
	"errors"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// batches makes n batch entries of 1, 2, 3, 1, 2, 3 ... messages from base on,
// the i-th at the i-th place of the log, and returns the next base.
func batches(base int64, from, n int) ([]cq.Entry, int64) {
	var list []cq.Entry
	for i := from; i < from+n; i++ {
		e := entry(int64(i))
		e.QueueOffset, e.Num = base, int16(i%3+1)
		base += int64(e.Num)
		list = append(list, e)
	}
	return list, base
}

func TestBatchQueue(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	q := ensure(t, s, "batch", 1, cq.Batch)
	list, next := batches(1000, 0, 25)
	noErr(t, q.Append(list[:1]))
	noErr(t, q.Append(list))
	noErr(t, q.Append(list[5:9]))
	for range 2 {
		wantRange(t, q, 1000, next)
		if q.MaxPhysical() != physical(25) {
			t.Fatalf("max physical %d", q.MaxPhysical())
		}
		// Every offset finds the unit that holds it.
		for _, e := range list {
			for k := int64(0); k < int64(e.Num); k++ {
				var u [3]cq.Unit
				n, err := q.Read(e.QueueOffset+k, u[:])
				noErr(t, err)
				if n == 0 || u[0].Base != e.QueueOffset || u[0].Num != e.Num || u[0].PhysicalOffset != e.PhysicalOffset || u[0].StoreTimestamp != e.StoreTimestamp {
					t.Fatalf("at %d: %d, %+v", e.QueueOffset+k, n, u[0])
				}
			}
		}
		if _, err := q.Read(999, make([]cq.Unit, 1)); err != cq.ErrOffsetTooSmall {
			t.Fatalf("below the minimum: %v", err)
		}
		if good, err := q.Verify(0); good != next || err != nil {
			t.Fatalf("%d, %v", good, err)
		}
		s = open(t, options(fsys))
		q = s.Queue("batch", 1)
		noErr(t, q.Load())
	}
	var gap *cq.GapError
	if err := q.Append([]cq.Entry{{QueueOffset: next + 1, PhysicalOffset: 1 << 30, Size: 1, Num: 1}}); !errors.As(err, &gap) || gap.Want != next {
		t.Fatalf("want a gap, got %v", err)
	}
	// Rewriting keeps base and count.
	e := list[7]
	e.TagsCode = 99
	noErr(t, q.Rewrite(e.QueueOffset, e))
	e.Num++
	if err := q.Rewrite(e.QueueOffset, e); err == nil {
		t.Fatal("another count must be refused")
	}
	if err := q.Rewrite(next, cq.Entry{QueueOffset: next, PhysicalOffset: 1, Size: 1}); err == nil {
		t.Fatal("a rewrite of the end must be refused")
	}
}

func TestBatchMinimumAndCuts(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	q := ensure(t, s, "batch", 1, cq.Batch)
	list, next := batches(0, 0, 35)
	noErr(t, q.Append(list))
	noErr(t, q.CorrectMin(physical(12)-1))
	wantRange(t, q, list[12].QueueOffset, next)
	n, err := q.DeleteExpired(physical(20))
	if n != 2 || err != nil {
		t.Fatalf("%d, %v", n, err)
	}
	wantRange(t, q, list[20].QueueOffset, next)
	// A unit that reaches above the cut goes as a whole.
	cut := list[31].QueueOffset + 1
	if list[31].Num < 2 {
		t.Fatal("the test wants a unit of two messages here")
	}
	noErr(t, q.TruncateTo(cut))
	wantRange(t, q, list[20].QueueOffset, list[31].QueueOffset)
	if q.MaxPhysical() != physical(31) {
		t.Fatalf("max physical %d", q.MaxPhysical())
	}
	noErr(t, q.Append(list[31:]))
	wantRange(t, q, list[20].QueueOffset, next)
	noErr(t, q.TruncatePhysical(physical(30)))
	wantRange(t, q, list[20].QueueOffset, list[30].QueueOffset)
	s = open(t, options(fsys))
	q = s.Queue("batch", 1)
	noErr(t, q.CorrectMin(physical(20)))
	wantRange(t, q, list[20].QueueOffset, list[30].QueueOffset)
	noErr(t, q.TruncateTo(list[20].QueueOffset))
	wantRange(t, q, list[20].QueueOffset, list[20].QueueOffset)
	noErr(t, q.Append(list[20:]))
	wantRange(t, q, list[20].QueueOffset, next)
	noErr(t, q.CorrectMin(1<<40))
	wantRange(t, q, next, next)
	noErr(t, q.TruncateTo(0))
	noErr(t, q.Reset(""))
	more, end := batches(7, 40, 3)
	noErr(t, q.Append(more))
	wantRange(t, q, 7, end)
}

func TestBatchDamage(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	list, _ := batches(0, 0, 25)
	noErr(t, ensure(t, s, "batch", 1, cq.Batch).Append(list))
	q := open(t, options(fsys)).Queue("batch", 1)
	poke(t, fsys, file(q, 2*perFile*cq.BatchUnitSize), 2*cq.BatchUnitSize+36, []byte{0, 0}) // count 0
	wantDamage(t, q.Load())
	wantRange(t, q, 0, list[22].QueueOffset)
	noErr(t, q.TruncateTo(q.MaxOffset()))
	noErr(t, q.Append(list))
	if good, err := q.Verify(0); err != nil || good != q.MaxOffset() {
		t.Fatalf("%d, %v", good, err)
	}
	// Base offsets that go back.
	q = open(t, options(fsys)).Queue("batch", 1)
	poke(t, fsys, file(q, 2*perFile*cq.BatchUnitSize), 4*cq.BatchUnitSize+28, make([]byte, 8))
	wantDamage(t, q.Load())
}

func TestKindsDoNotMix(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := open(t, options(fsys))
	ensure(t, s, "topic", 0, cq.Batch)
	var kind *cq.KindError
	if _, err := s.Ensure("topic", 0, cq.Simple); !errors.As(err, &kind) || kind.Have != cq.Batch || kind.Error() == "" {
		t.Fatalf("want a KindError, got %v", err)
	}
	o := options(fsys)
	o.BatchDir = ""
	if _, err := open(t, o).Ensure("topic", 1, cq.Batch); err == nil {
		t.Fatal("no directory for batch queues")
	}
}
