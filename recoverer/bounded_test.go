package recoverer_test

import (
	"errors"
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/indexsvc"
	"github.com/actorstore/actorstore/recoverer"
)

// TestScanIsBounded by the mark, not by the log (F10): of fifty segments the last
// one is looked at, after a kill and after a clean stop. Without a mark, as in a
// store that RocketMQ has written, all of it is, once; then there is a mark.
func TestScanIsBounded(t *testing.T) {
	const segments = 50
	for _, c := range []struct {
		name  string
		stop  func(s *store)
		whole bool
	}{
		{"killed", func(s *store) { s.mark(); s.kill() }, false},
		{"closed", (*store).close, false},
		{"killed without a mark", func(s *store) { s.kill(); remove(t, s.fs, s.layout.Ours()) }, true},
		{"closed without a mark", func(s *store) { s.close(); remove(t, s.fs, s.layout.Ours()) }, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, newFS())
			for i := 0; s.log.Appended() < segments*segmentSize; i++ {
				s.put(message("T", 0, i, 800))
			}
			s.summary()
			c.stop(s)
			for _, whole := range []bool{c.whole, false} {
				s = open(t, s.fs)
				r := &s.report
				const most = 2 * segmentSize
				if got := r.Scanned > most; got != whole || whole && r.Scanned < (segments-5)*segmentSize {
					t.Errorf("%d bytes of %d scanned", r.Scanned, r.End)
				}
				if got := r.Replayed > most; got != whole || (r.SegmentsRead > 2) != whole || (r.QueuesChecked > 0) != whole {
					t.Errorf("%d bytes of %d replayed, %d segments read, %d queues checked", r.Replayed, r.End, r.SegmentsRead, r.QueuesChecked)
				}
				if r.Rewritten > most && !whole {
					t.Errorf("%d bytes rewritten", r.Rewritten)
				}
				s.kill()
			}
		})
	}
}

// TestUnwrittenSpaceIsNotRead: opening after an unclean stop brought the whole
// unwritten rest of the log, up to two segments, and of the index into memory.
func TestUnwrittenSpaceIsNotRead(t *testing.T) {
	const segment, written = 256 << 20, 1 << 20
	layout := checkpoint.NewLayout(t.TempDir(), "")
	fsys := mapped.OS()
	writeLog(t, layout, written, 1)
	for _, at := range []int64{0, segment} {
		f, err := fsys.OpenFile(layout.CommitLog()+"/"+mapped.Name(at), os.O_RDWR|os.O_CREATE, 0o644)
		if err == nil {
			err = errors.Join(f.Allocate(0, segment), f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, dir := range []string{layout.Index(), layout.Tmp()} {
		if err := fsys.MkdirAll(dir); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time there is an index
		s := &store{t: t, fs: fsys, layout: layout}
		var err error
		s.log, err = commitlog.Open(commitlog.Options{FS: fsys, Dir: layout.CommitLog(), TmpDir: layout.CommitLogTmp(), SegmentSize: segment})
		if err == nil {
			s.queues, err = consumequeue.Open(consumequeue.Options{FS: fsys, Dir: layout.ConsumeQueue(), TmpDir: layout.Tmp()})
		}
		if err == nil {
			s.index, err = indexsvc.Open(indexsvc.Options{FS: fsys, Dir: layout.Index(), TmpDir: layout.Tmp(), MaxHashSlotNum: 100, MaxIndexNum: 3 << 20})
		}
		if err != nil {
			t.Fatal(err)
		}
		next := s.log.Segments()[1]
		if len(next.Extents(segment/2, segment)) > 0 {
			t.Skip("this file system does not tell where a file was never written")
		}
		in := recoverer.Input{FS: fsys, Layout: layout, Log: s.log, Queues: s.queues, Index: s.index}
		rep, err := recoverer.Recover(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		if rep.Scanned > 32<<20 {
			t.Errorf("%d bytes looked at, the log ends at %d", rep.Scanned, rep.End)
		}
		// The first pages are looked at, and the kernel reads ahead, megabytes here and there.
		if e := next.Extents(segment/2, segment); len(e) > 0 {
			t.Errorf("the unused segment was read: %v", e)
		}
		if e := s.log.Segments()[0].Extents(segment/2, segment); len(e) > 0 {
			t.Errorf("the segment in use was read: %v", e)
		}
		file := s.index.Files()[0]
		f, err := fsys.OpenFile(layout.Index()+"/"+file.Name, os.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if e := mapped.ExtentsOf(f, 32<<20, file.Size(), file.Size()); len(e) > 0 {
			t.Errorf("the index of %d bytes was read: %v", file.Size(), e)
		}
		f.Close()
		s.release()
	}
}
