package consumequeue_test

import (
	"errors"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// change is something that is done to a queue with ext units of [13, 45).
type change struct {
	name   string
	hurt   func(t *testing.T, fsys *mappedtest.FS)
	do     func(q *cq.Queue) error
	lo, hi int64
}

var changes = []change{
	{"append", nil, func(q *cq.Queue) error { return q.Append(extEntries(45, 60)) }, 13, 60},
	{"cut", nil, func(q *cq.Queue) error { return q.TruncateTo(25) }, 13, 25},
	{"cut at the log's end", nil, func(q *cq.Queue) error { return q.TruncatePhysical(physical(31)) }, 13, 31},
	{"cut in front", nil, func(q *cq.Queue) error { return q.TruncateTo(7) }, 7, 7},
	{"cut all", nil, func(q *cq.Queue) error { return q.TruncateTo(0) }, 0, 0},
	{"mend", func(t *testing.T, fsys *mappedtest.FS) {
		resize(t, fsys, root+"/consumequeue/topic/0/"+mapped.Name(2*fileSize), 47)
	}, func(q *cq.Queue) error { return q.TruncateTo(18) }, 13, 18},
	{"mend at the damage", func(t *testing.T, fsys *mappedtest.FS) {
		poke(t, fsys, root+"/consumequeue/topic/0/"+mapped.Name(2*fileSize), 5*cq.UnitSize, make([]byte, cq.UnitSize))
	}, func(q *cq.Queue) error { return q.TruncateTo(25) }, 13, 25},
	{"renew", nil, func(q *cq.Queue) error { return q.Renew(20) }, 13, 45},
	{"rewrite", nil, func(q *cq.Queue) error { return q.Rewrite(30, extEntry(30)) }, 13, 45},
	{"expire", nil, func(q *cq.Queue) error { _, err := q.DeleteExpired(physical(37)); return err }, 37, 45},
	{"correct", nil, func(q *cq.Queue) error { return q.CorrectMin(physical(22)) }, 22, 45},
	{"reset", nil, func(q *cq.Queue) error { return q.Reset("") }, 0, 0},
	{"reset aside", nil, func(q *cq.Queue) error { return q.Reset(root + "/actorstore/aside") }, 0, 0},
}

func wantEIO(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, syscall.EIO) {
		t.Fatalf("want the disk's error, got %v", err)
	}
}

// check wants the units of [lo, hi), and what their ext units say.
func (c change) check(t *testing.T, q *cq.Queue, hi int64) {
	t.Helper()
	wantRange(t, q, c.lo, hi)
	for at := c.lo; at < hi; at++ {
		var u [1]cq.Unit
		n, err := q.Read(at, u[:])
		noErr(t, err)
		if want := extEntry(at); n != 1 || u[0].PhysicalOffset != want.PhysicalOffset || u[0].TagsCode != want.TagsCode {
			t.Fatalf("unit %d: %+v", at, u[0])
		}
	}
}

// TestChangeFailsOnce: of what changes a queue one call fails. It says so, or has
// done its work all the same; done again it ends as if nothing had failed, also on
// disk, and the queue goes on there.
func TestChangeFailsOnce(t *testing.T) {
	whole := mappedtest.NewFS()
	s := open(t, extOptions(whole))
	noErr(t, ensure(t, s, "topic", 0, cq.Simple).Append(extEntries(13, 45)))
	_, err := s.Sync()
	noErr(t, err)
	noErr(t, s.Close())
	for _, c := range changes {
		t.Run(c.name, func(t *testing.T) {
			image := whole.Kill()
			if c.hurt != nil {
				c.hurt(t, image)
			}
			for fsys, script := range mappedtest.EachPlace(image, 1, syscall.EIO) {
				s, err := cq.Open(extOptions(script))
				if err != nil {
					wantEIO(t, err)
					continue
				}
				q := s.Queue("topic", 0)
				err = c.do(q)
				script.Clear()
				if err != nil {
					wantEIO(t, err)
					noErr(t, c.do(q))
				}
				t.Log(script.Failed()) // shown if what follows fails
				c.check(t, q, c.hi)
				noErr(t, q.Append(extEntries(c.hi, c.hi+5)))
				c.check(t, q, c.hi+5)
				_, err = s.Sync()
				noErr(t, errors.Join(err, s.Close()))
				s = open(t, extOptions(fsys.Crash(1, mappedtest.Nothing)))
				q = s.Queue("topic", 0)
				noErr(t, q.CorrectMin(physical(c.lo)))
				c.check(t, q, c.hi+5)
			}
		})
	}
}
