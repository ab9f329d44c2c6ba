package consumequeue_test

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// A damaged unit of a batch queue, wherever a search comes upon it, hides no other one.
func TestBatchSearchPastDamage(t *testing.T) {
	list, _ := batches(0, 0, 45)
	for name, c := range map[string]struct {
		at    int64
		bytes []byte
	}{
		"base too large": {34, []byte{9}}, "base too small": {28, make([]byte, 8)},
		"count too large": {36, []byte{1}}, "none": {0, make([]byte, cq.BatchUnitSize)},
	} {
		for _, bad := range []int64{2, 5, 11, 22, 24} {
			t.Run(name, func(t *testing.T) {
				fsys := mappedtest.NewFS()
				s := open(t, options(fsys))
				noErr(t, ensure(t, s, "batch", 1, cq.Batch).Append(list))
				q := open(t, options(fsys)).Queue("batch", 1)
				start := bad / perFile * perFile * cq.BatchUnitSize
				poke(t, fsys, file(q, start), bad*cq.BatchUnitSize+c.at-start, c.bytes)
				noErr(t, q.Load())
				for i, e := range list {
					var u [1]cq.Unit
					if n, err := q.Read(e.QueueOffset, u[:]); int64(i) != bad && (n != 1 || err != nil || u[0].PhysicalOffset != e.PhysicalOffset) {
						t.Errorf("unit %d is bad; unit %d: %+v, %v", bad, i, u[0], err)
					}
				}
			})
		}
	}
}
