package reader

import (
	"errors"
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// hurtBatch reads a queue of 30 batches of ten messages, of which one byte was changed.
func hurtBatch(t *testing.T, at int64, b byte) *Reader {
	t.Helper()
	s := newStore(t, shape{})
	for range 30 {
		s.put(batch("B", 10))
	}
	r, _ := s.again()
	f, err := s.fs.OpenFile(s.root+"/batchconsumequeue/B/0/00000000000000000000", os.O_RDWR, 0)
	s.must(err)
	_, err = f.WriteAt([]byte{b}, at)
	s.must(errors.Join(err, f.Close()))
	return r
}

// A unit of a batch queue whose base or count is too large traps no reader, and leads
// none behind the end of the queue: NextOffset always leads on. Units are found by
// their bases, so some beside it may be hidden until the queue is checked.
func TestBadBatchUnitLeadsOn(t *testing.T) {
	for name, c := range map[string]struct {
		at int64
		b  byte
	}{"base": {3*consumequeue.BatchUnitSize + 34, 9}, "count": {3*consumequeue.BatchUnitSize + 37, 99}} {
		t.Run(name, func(t *testing.T) {
			r := hurtBatch(t, c.at, c.b)
			seen := map[int64]bool{}
			for at := int64(0); at < 300; {
				var g GetResult
				err := r.Get(ctx, GetRequest{Topic: "B", Offset: at, MaxCount: 20}, &g)
				if err != nil && !errors.Is(err, record.ErrCorrupt) {
					t.Fatal(err)
				}
				for i := range g.Messages {
					seen[g.Messages[i].QueueOffset] = true
				}
				if g.NextOffset <= at {
					t.Fatalf("no way on from %d: %v", at, err)
				}
				at = g.NextOffset
			}
			if len(seen) < 25 {
				t.Errorf("%d of 30 records", len(seen))
			}
		})
	}
}
