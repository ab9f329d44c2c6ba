package recoverer_test

import (
	"testing"

	"github.com/actorstore/actorstore/recoverer"
)

// TestQueueIsWrittenByOneAtATime: where the numbering of a queue begins anew its
// units are cut and others follow. Queues are written at once, and such a queue is
// still one of them, not two.
func TestQueueIsWrittenByOneAtATime(t *testing.T) {
	im := newImage(1)
	at := int64(0)
	for i := range 12 {
		if i == 7 {
			im.next["T-0"] = 0
		}
		at = im.add(at, message("T", 0, i, 40))
	}
	most := 0
	s := open(t, im.store(t), func(_ *store, in *recoverer.Input) {
		in.Parallel = func(n int, f func(int)) {
			most = max(most, n) // one segment, one queue
			for i := range n {
				f(i)
			}
		}
	})
	if most != 1 {
		t.Errorf("%d parts at once", most)
	}
	if got, want := s.read("T", 0), "0:h 1:i 2:j 3:k 4:l"; got != want {
		t.Errorf("read %s, want %s", got, want)
	}
	s.kill()
}
