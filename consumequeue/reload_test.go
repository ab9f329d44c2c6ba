package consumequeue_test

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// A store that is only read may meet a file in the middle of a change by another
// process. What it took for damage it sees right when it looks again.
func TestReload(t *testing.T) {
	fsys := mappedtest.NewFS()
	writer := open(t, options(fsys))
	w := ensure(t, writer, "topic", 0, cq.Simple)
	noErr(t, w.Append(entries(0, 35)))
	o := options(fsys)
	o.ReadOnly = true
	s := open(t, o)
	q := s.Queue("topic", 0)
	resize(t, fsys, file(w, 2*fileSize), 77)
	damage := wantDamage(t, q.Load())
	if damage.Path != file(w, 2*fileSize) {
		t.Fatalf("damage of %s", damage.Path)
	}
	resize(t, fsys, file(w, 2*fileSize), fileSize)
	for i := range int64(10) {
		noErr(t, w.Rewrite(20+i, entry(20+i)))
	}
	wantDamage(t, q.Load()) // it is known
	noErr(t, q.Reload())
	wantRange(t, q, 0, 35)
	wantUnits(t, q)

	noErr(t, w.Append(entries(35, 52)))
	wantRange(t, q, 0, 35)
	noErr(t, q.Reload())
	wantRange(t, q, 0, 52)
	wantUnits(t, q)

	noErr(t, w.Append(entries(52, 53)))
	noErr(t, w.Reload()) // who writes knows the queue better than the disk
	wantRange(t, w, 0, 53)
}
