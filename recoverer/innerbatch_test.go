package recoverer_test

import (
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/recoverer"
)

// Records of strangers may have INNER_NUM and INNER_BASE without the bit, or be
// inner batches in a queue of simple units. The kind of the queue says which of
// the numbers counts: with one message to a batch, the base was taken for the
// queue offset.
func TestInnerBatchOfOneInASimpleQueueKeepsItsOffset(t *testing.T) {
	const sysFlagAt = 36
	for _, c := range []struct {
		kind consumequeue.Kind
		want string
	}{
		{consumequeue.Simple, "0:a 1:b 2:c"},
		{consumequeue.Batch, "50:a(is T-0 0) 51:b(is T-0 1) 52:c(is T-0 2)"},
	} {
		for _, bit := range []byte{0, byte(record.SysInnerBatch)} {
			kind := func(_ *store, in *recoverer.Input) {
				in.Kind = func(string, bool) consumequeue.Kind { return c.kind }
			}
			s := open(t, newFS(), withoutCRC, kind)
			for i := range 3 {
				m := message("T", 0, i, 40)
				m.Properties.Set(record.PropertyInnerNum, "1")
				m.Properties.Set(record.PropertyInnerBase, fmt.Sprint(50+i))
				at := s.add(m)
				overwrite(t, s.fs, s.segment(0), at.PhysicalOffset+sysFlagAt, []byte{0, 0, 0, bit})
			}
			s.flush()
			s.kill()
			for range 2 { // built, then checked
				s = open(t, s.fs, withoutCRC, kind, checkQueues)
				if got := s.read("T", 0); got != c.want || len(s.report.Findings) > 0 {
					t.Errorf("kind %v, bit %d: read %s, want %s\n%v", c.kind, bit, got, c.want, s.report.Findings)
				}
				s.kill()
			}
		}
	}
}
