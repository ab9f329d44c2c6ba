package reader

import (
	"errors"
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// TestBadBatchUnits: a unit of a batch queue whose base or count is wrong, or that is
// none, costs no other record, wherever searches come upon it, and NextOffset always
// leads on, up to the end of the queue.
func TestBadBatchUnits(t *testing.T) {
	const units, num, perFile = 60, 10, 10 // opening looks at the last two files
	for name, c := range map[string]struct {
		at    int64 // in the unit
		bytes []byte
	}{
		"base far behind":  {34, []byte{9}},
		"base little more": {28, []byte{0, 0, 0, 0, 0, 0, 1, 24}},
		"base in front":    {34, []byte{0, 3}},
		"count too large":  {37, []byte{99}},
		"largest count":    {36, []byte{0x7f, 0xff}},
		"count too small":  {37, []byte{3}},
		"no count":         {36, []byte{0, 0}},
		"another tag":      {12, []byte{1}},
	} {
		for _, bad := range []int64{1, 3, 7, 15, 29, 30, 38} {
			t.Run(name, func(t *testing.T) {
				s := newStore(t, shape{})
				for range units {
					s.put(batch("B", num))
				}
				r, _ := s.again()
				start := bad / perFile * perFile * consumequeue.BatchUnitSize
				f, err := s.fs.OpenFile(s.root+"/batchconsumequeue/B/0/"+mapped.Name(start), os.O_RDWR, 0)
				s.must(err)
				_, err = f.WriteAt(c.bytes, bad*consumequeue.BatchUnitSize+c.at-start)
				s.must(errors.Join(err, f.Close()))
				for _, req := range []GetRequest{{MaxCount: 20}, {MaxCount: 1}, {}, {MaxCount: 20, Tags: "none"}} {
					var seen [units]bool
					n := 0
					for at := int64(0); at < units*num; {
						var g GetResult
						req.Topic, req.Offset = "B", at
						err := r.Get(ctx, req, &g)
						if err != nil && !errors.Is(err, record.ErrCorrupt) {
							t.Fatal(err)
						}
						for i := range g.Messages {
							seen[g.Messages[i].QueueOffset/num] = true
							n++
						}
						if g.NextOffset <= at || g.NextOffset > units*num {
							t.Fatalf("%+v: from %d the way leads to %d: %v", req, at, g.NextOffset, err)
						}
						at = g.NextOffset
					}
					for i, ok := range seen {
						if !ok && int64(i) != bad && req.Tags == "" {
							t.Errorf("%+v: unit %d is bad, the record at %d is lost", req, bad, i*num)
						}
					}
					if n > units {
						t.Errorf("%+v: %d records", req, n)
					}
				}
				// Whoever begins anywhere else finds what is there.
				for at := int64(0); at < units*num; at += 3 {
					var g GetResult
					if at/num == bad || at/num == bad-1 {
						continue
					}
					if err := r.Get(ctx, GetRequest{Topic: "B", Offset: at, MaxCount: 1}, &g); err != nil || len(g.Messages) != 1 || g.Messages[0].QueueOffset != at/num*num {
						t.Errorf("unit %d is bad; at %d: %v, %+v", bad, at, err, g.Place)
					}
				}
			})
		}
	}
}
