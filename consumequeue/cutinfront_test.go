package consumequeue_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// A cut in front of the first file that fails after the files are gone is done by
// cutting again, at any place up to its own: the queue keeps its numbers. Until then
// it takes nothing.
func TestCutInFrontFailsAndIsTriedAgain(t *testing.T) {
	again := map[string]struct {
		cut func(q *cq.Queue) error
		end int64
	}{
		"the same":      {func(q *cq.Queue) error { return q.TruncateTo(7) }, 7},
		"farther":       {func(q *cq.Queue) error { return q.TruncateTo(5) }, 5},
		"all":           {func(q *cq.Queue) error { return q.TruncateTo(0) }, 0},
		"the log's end": {func(q *cq.Queue) error { return q.TruncatePhysical(physical(7)) }, 7},
		"for a rebuild": {func(q *cq.Queue) error { return q.Reset("") }, 0},
		"fails once more": {func(q *cq.Queue) error {
			if err := q.TruncateTo(8); err == nil {
				return errors.New("a cut behind the end of a damaged queue")
			}
			return q.TruncateTo(7)
		}, 7},
	}
	for name, c := range again {
		t.Run(name, func(t *testing.T) {
			fsys := mappedtest.NewFS()
			s := open(t, options(fsys))
			noErr(t, ensure(t, s, "topic", 0, cq.Simple).Append(entries(13, 45)))
			_, err := s.Sync()
			noErr(t, errors.Join(err, s.Close()))
			script := mappedtest.NewScript(fsys)
			_, q := reopen(t, script)
			script.Add(mappedtest.Rule{Op: mappedtest.OpTruncate, Err: syscall.ENOSPC}) // of the file that the queue begins anew with
			if err := q.TruncateTo(7); !errors.Is(err, syscall.ENOSPC) {
				t.Fatalf("got %v", err)
			}
			wantRange(t, q, 7, 7)
			wantDamage(t, q.Append(entries(7, 8)))
			noErr(t, c.cut(q))
			wantRange(t, q, c.end, c.end)
			noErr(t, q.Append(entries(c.end, 20)))
			wantRange(t, q, c.end, 20)
			_, q = reopen(t, fsys)
			noErr(t, q.Load())
			wantRange(t, q, c.end, 20)
		})
	}
}
