package repair_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/recoverer"
)

// TestBytesBehindTheEndOfAClosedStore: a store that was closed in order may have a
// bit that has flipped behind the end of its log. Opening does not look there;
// repair keeps it aside, once, and then has nothing left to do.
func TestBytesBehindTheEndOfAClosedStore(t *testing.T) {
	fsys := closed(t)
	o := options(fsys)
	i, err := actorstore.Inspect(t.Context(), o)
	must(t, err)
	_, end := i.Bounds()
	must(t, i.Close())
	for _, behind := range []int64{12, 300} {
		at := end + behind
		path := root + "/commitlog/" + mapped.Name(at-at%segmentSize)
		f, err := fsys.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		_, err = f.WriteAt([]byte{1}, at%segmentSize)
		must(t, err)
		must(t, f.Close())

		done, err := actorstore.Repair(t.Context(), o, actorstore.RepairOptions{})
		must(t, err)
		if len(done.Steps) != 1 || done.Steps[0].Where != recoverer.CommitLog || len(done.Kept) != 1 {
			t.Errorf("%d bytes behind the end: %+v, kept %+v", behind, done.Steps, done.Kept)
		}
		again, err := actorstore.PlanRepair(t.Context(), o)
		must(t, err)
		if len(again.Steps) != 0 || len(again.Left) != 0 {
			t.Errorf("%d bytes behind the end: then %s", behind, fmt.Sprint(again.Steps, again.Left))
		}
	}
}
