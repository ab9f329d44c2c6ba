package consumequeue_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// TestExpiryMeetsOneWrongUnit: the log begins at some record, and one unit of a later
// one points too far to the front, as by one wrong bit. The search for the first live
// unit came by there and took all in front of it for expired: offsets whose records the
// log has were refused, and the files of their units deleted.
func TestExpiryMeetsOneWrongUnit(t *testing.T) {
	const units = 100
	for _, kind := range []cq.Kind{cq.Simple, cq.Batch} {
		for _, lo := range []int64{0, 1, 5, 37} {
			for wrong := lo + 1; wrong < units-2*perFile; wrong++ {
				fsys := mappedtest.NewFS()
				s := open(t, options(fsys))
				noErr(t, ensure(t, s, "topic", 0, kind).Append(entries(0, units)))
				noErr(t, s.Close())
				size, dir := int64(cq.UnitSize), root+"/consumequeue"
				if kind == cq.Batch {
					size, dir = cq.BatchUnitSize, root+"/batchconsumequeue"
				}
				path := fmt.Sprintf("%s/topic/0/%s", dir, mapped.Name(wrong/perFile*perFile*size))
				poke(t, fsys, path, wrong%perFile*size, binary.BigEndian.AppendUint64(nil, 1))
				s = open(t, options(fsys))
				q := s.Queue("topic", 0)
				files, err := q.DeleteExpired(physical(lo))
				if err != nil || q.MinOffset() != lo || int64(files) != lo/perFile {
					t.Errorf("%s: unit %d is wrong: the queue begins at %d, want %d; %d files are gone, %v", kind, wrong, q.MinOffset(), lo, files, err)
				}
				noErr(t, s.Close())
			}
		}
	}
}
