package recoverer_test

import (
	"fmt"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/recoverer"
)

// TestHoleInIndexBesideQueues: while the index was made right beside the queues a
// summary was written before its holes had been looked for. A recovery that ended
// there left a store that was trusted, and the keys in the hole were never found.
func TestHoleInIndexBesideQueues(t *testing.T) {
	defer recoverer.IndexApart()()
	defer recoverer.ShortSteps(16, segmentSize, segmentSize)()
	const records = 80
	s := open(t, newFS())
	for i := range records {
		s.put(message("T", 0, i, 150))
	}
	s.close()
	base := s.fs.(*mappedtest.FS)
	indexWithHole(t, base)
	remove(t, base, s0.Ours())
	count := mappedtest.NewScript(base.Kill())
	open(t, count).kill()
	for k := 1; k <= count.Calls(); k++ {
		fsys := base.Kill()
		if s, _ := tryOpen(t, mappedtest.NewScript(fsys, mappedtest.Rule{At: k, Forever: true, Err: syscall.EIO})); s != nil {
			s.release()
		}
		s := open(t, fsys.Kill())
		for i := range records {
			if hits := s.hits("T", fmt.Sprint("k", i)); len(hits) != 1 {
				t.Fatalf("cut at call %d of %d: k%d is found at %v", k, count.Calls(), i, hits)
			}
		}
		s.kill()
	}
}

// indexWithHole replaces the index by one that lacks the records behind its first
// file, as RocketMQ leaves it after an unclean stop.
func indexWithHole(t *testing.T, fsys *mappedtest.FS) {
	t.Helper()
	s, err := openFiles(t, fsys, true)
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	var all []record.DispatchRequest
	sc := s.log.Reader().Scan(0, s.log.Segments()[len(s.log.Segments())-1].End(), record.CRCNone)
	defer sc.Close()
	for e, err := sc.Next(); err == nil; e, err = sc.Next() {
		if e.Kind != record.KindRecord {
			continue
		}
		var req record.DispatchRequest
		if err := record.ParseDispatch(append([]byte(nil), e.Bytes...), &req, nil); err != nil {
			t.Fatal(err)
		}
		all = append(all, req)
	}
	remove(t, fsys, s0.Index())
	if err := fsys.MkdirAll(s0.Index()); err != nil {
		t.Fatal(err)
	}
	x, err := indexsvc.Open(indexsvc.Options{FS: fsys, Dir: s0.Index(), TmpDir: checkpoint.NewLayout("/store", "").Tmp(),
		MaxHashSlotNum: indexSlots, MaxIndexNum: indexEntries})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	put := func(part []record.DispatchRequest) {
		if err := x.Put(part); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for ; len(x.Files()) == 0 || !x.Files()[0].Full; n++ {
		put(all[n : n+1])
	}
	put(all[n+20:])
	if err := x.Flush(); err != nil {
		t.Fatal(err)
	}
}
