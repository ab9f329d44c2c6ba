package crash

import (
	"bytes"
	"context"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// What the rigs have found, each as a case of its own.

// small opens a store whose background flush does not come.
func small(t *testing.T, fsys mapped.FS) *opened {
	t.Helper()
	o := workload.PlanOf("single").Options(root)
	o.FS, o.FlushIntervalCommitLog = fsys, time.Hour
	system := newSystem()
	s, err := open(t.Context(), system, o)
	must(t, err)
	t.Cleanup(func() {
		_ = s.Close(context.Background())
		system.Shutdown()
	})
	return s
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (s *opened) mustPut(t *testing.T, topic string, body int) flusher.PutResult {
	t.Helper()
	r, err := s.Put(t.Context(), &record.Message{Topic: topic, Body: bytes.Repeat([]byte{0xAB}, body)})
	must(t, err)
	must(t, s.Dispatched(t.Context()))
	return r
}

func (s *opened) count(t *testing.T, topic string) int {
	t.Helper()
	var g reader.GetResult
	must(t, s.view.Get(t.Context(), reader.GetRequest{Topic: topic}, &g))
	return len(g.Messages)
}

// A topic was deleted behind what the disk kept of the log. What is put into it
// afterwards, at offsets that the deletion seemed to cover, was lost.
func TestDeletionAboveTheEnd(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := small(t, fsys)
	for range 5 {
		s.mustPut(t, "d", 300)
	}
	must(t, s.DeleteTopic(t.Context(), "d"))
	cut := fsys.Crash(1, mappedtest.Nothing)
	s = small(t, cut)
	s.mustPut(t, "d", 10)
	if n := s.count(t, "d"); n != 1 {
		t.Fatalf("%d messages in the topic, want 1", n)
	}
	must(t, s.Close(t.Context()))
	if n := small(t, cut.Kill()).count(t, "d"); n != 1 {
		t.Fatalf("%d messages in the topic after reopening, want 1", n)
	}
}

// A lost sector ends with the first bytes of a good record, which are zeros
// anyway. It was taken for damage, which left a hole in what was never flushed.
func TestLostSectorUpToTheNextSize(t *testing.T) {
	for _, early := range []int64{1, 2} { // bytes of the next record's size in the lost sector
		fsys := mappedtest.NewFS()
		s := small(t, fsys)
		s.mustPut(t, "a", 100)
		must(t, s.Close(t.Context()))
		s = small(t, fsys)
		a := s.mustPut(t, "a", 100)
		plain := int64(a.Size) - 100
		end := (a.End()+plain)/512*512 + 1536 - early
		b := s.mustPut(t, "a", int(end-a.End()-plain))
		if b.End() != end {
			t.Fatalf("ends at %d, want %d", b.End(), end)
		}
		s.mustPut(t, "a", 100)
		cut := fsys.Kill()
		zeroLog(t, cut, end+early-512, 512)
		cut.Remount() // the power
		s = small(t, cut)
		if n := s.count(t, "a"); n != 2 {
			t.Errorf("%d messages, want the 2 in front of the lost sector", n)
		}
		if state := s.mustState(t); state.Watermarks.Appended != a.End() {
			t.Errorf("the log ends at %d, want %d", state.Watermarks.Appended, a.End())
		}
	}
}

func (s *opened) mustState(t *testing.T) actors.State {
	t.Helper()
	state, err := s.State()
	must(t, err)
	return state
}

// zeroLog writes zeros into the first segment.
func zeroLog(t *testing.T, fsys mapped.FS, at, n int64) {
	t.Helper()
	path := filepath.Join(checkpoint.NewLayout(root, "").CommitLog(), mapped.Name(0))
	f, err := fsys.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	_, err = f.WriteAt(make([]byte, n), at)
	must(t, err)
	must(t, f.Sync())
	must(t, f.Close())
}

// The mark was lost, the clock had been set back, and a topic had been deleted
// and made again, so that its offsets began anew: all of that together looked
// like what another engine's truncation leaves, and was cut.
func TestTopicMadeAgainIsNotOld(t *testing.T) {
	fsys := mappedtest.NewFS()
	o := workload.PlanOf("single").Options(root)
	clock := &workload.Clock{}
	o.FS, o.Now = fsys, clock.Now
	system := newSystem()
	defer system.Shutdown()
	s, err := open(t.Context(), system, o)
	must(t, err)
	for range 4 {
		s.mustPut(t, "d", 100)
	}
	must(t, s.DeleteTopic(t.Context(), "d"))
	clock.Set(-time.Hour)
	for range 3 {
		s.mustPut(t, "d", 100)
	}
	must(t, s.Close(t.Context()))
	layout := checkpoint.NewLayout(root, "")
	must(t, fsys.Remove(layout.MarkFile()))
	must(t, checkpoint.CreateAbort(fsys, layout, 1))
	s, err = open(t.Context(), system, o)
	must(t, err)
	if n := s.count(t, "d"); n != 3 {
		t.Errorf("%d messages, want 3", n)
	}
	must(t, s.Close(t.Context()))
}

// A base offset in a batch queue was hit. Recovery went through all offsets up to
// it, 64 at a time; a queue whose first base was hit was empty from there on.
func TestBaseOffsetOfABatchQueueIsHit(t *testing.T) {
	for _, unit := range []int64{0, 2, 4} {
		for _, unclean := range []bool{false, true} {
			fsys := mappedtest.NewFS()
			s := small(t, fsys)
			for range 5 {
				m := record.Message{Topic: "inner", SysFlag: record.SysInnerBatch | record.SysNeedUnwrap, Body: []byte("body"),
					Properties: record.NewProperties(record.PropertyInnerNum, "2")}
				_, err := s.Put(t.Context(), &m)
				must(t, err)
			}
			must(t, s.Close(t.Context()))
			layout := checkpoint.NewLayout(root, "")
			path := filepath.Join(layout.BatchConsumeQueue(), "inner", "0", mapped.Name(0))
			b, err := readFile(fsys, path)
			must(t, err)
			b[46*unit+28] ^= 0x40
			must(t, putFile(fsys, path, b, false))
			if unclean {
				must(t, checkpoint.CreateAbort(fsys, layout, 1))
				must(t, fsys.Remove(layout.QueuesFile()))
			}
			s = small(t, fsys)
			var g reader.GetResult
			at, seen, failed := int64(0), 0, 0
			for at < 10 {
				err := s.view.Get(t.Context(), reader.GetRequest{Topic: "inner", Offset: at}, &g)
				seen += len(g.Messages)
				if err != nil {
					failed++
				}
				if g.NextOffset <= at {
					break
				}
				at = g.NextOffset
			}
			if seen < 5 && failed == 0 || unclean && seen != 5 {
				t.Errorf("unit %d, unclean %v: %d records, %d errors, the queue ends at %d", unit, unclean, seen, failed, at)
			}
			must(t, s.Close(t.Context()))
		}
	}
}

// A segment is missing in the middle of the log. Its messages were left out
// without an error, as if retention had taken them.
func TestMissingSegmentIsToldByGet(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := small(t, fsys)
	for s.mustPut(t, "a", 3000).PhysicalOffset < 3*16<<10 {
	}
	must(t, s.Close(t.Context()))
	must(t, fsys.Remove(filepath.Join(checkpoint.NewLayout(root, "").CommitLog(), mapped.Name(16<<10))))
	s = small(t, fsys)
	var g reader.GetResult
	failed := 0
	for at := int64(0); ; at = g.NextOffset {
		if err := s.view.Get(t.Context(), reader.GetRequest{Topic: "a", Offset: at}, &g); err != nil {
			failed++
		}
		if g.NextOffset <= at {
			break
		}
	}
	if failed < 4 {
		t.Errorf("%d errors for a missing segment of 5 messages", failed)
	}
}

// The last record of a segment was hit. The filler behind the segment's BLANK,
// which is zero, was taken for a lost write, and all later segments were cut.
func TestFillerBehindABlankIsNoLostWrite(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := small(t, fsys)
	s.mustPut(t, "a", 100)
	must(t, s.Close(t.Context()))
	s = small(t, fsys)
	var last flusher.PutResult // of the first segment
	for r := last; r.PhysicalOffset < 16<<10; {
		last, r = r, s.mustPut(t, "a", 3000)
	}
	s.mustPut(t, "a", 100)
	end := s.mustState(t).Watermarks.Appended
	cut := fsys.Kill()
	path := filepath.Join(checkpoint.NewLayout(root, "").CommitLog(), mapped.Name(0))
	b, err := readFile(cut, path)
	must(t, err)
	b[last.PhysicalOffset+200] ^= 1
	must(t, putFile(cut, path, b, false))
	s = small(t, cut)
	if got := s.mustState(t).Watermarks.Appended; got != end {
		t.Errorf("the log ends at %d, want %d", got, end)
	}
}

// A unit was hit and leads below the log's minimum. Its message was left out as
// if retention had taken it, although the one before it is there.
func TestUnitBelowTheMinimumIsToldByGet(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := small(t, fsys)
	for range 3 {
		s.mustPut(t, "b", 9000) // fills a segment that goes
	}
	for range 6 {
		s.mustPut(t, "a", 3000)
	}
	must(t, s.Close(t.Context()))
	layout := checkpoint.NewLayout(root, "")
	must(t, fsys.Remove(filepath.Join(layout.CommitLog(), mapped.Name(0))))
	path := filepath.Join(layout.ConsumeQueue(), "a", "0", mapped.Name(0))
	b, err := readFile(fsys, path)
	must(t, err)
	clear(b[3*20 : 3*20+8])
	must(t, putFile(fsys, path, b, false))
	s = small(t, fsys)
	var g reader.GetResult
	err = s.view.Get(t.Context(), reader.GetRequest{Topic: "a", Offset: 3}, &g)
	if err == nil && len(g.Messages) != 3 { // opening may have mended it
		t.Errorf("offset 3: %s, %d messages, next %d, and no error", g.Status, len(g.Messages), g.NextOffset)
	}
}

// The mark was replaced by an older one that still fitted the checkpoint, as the
// records shared a millisecond, and ended with a segment. After a clean stop the
// next segment was not looked at, and its messages were written over.
func TestOlderMarkAtTheEndOfASegment(t *testing.T) {
	fsys := mappedtest.NewFS()
	o := workload.PlanOf("roll").Options(root)
	now := time.Now()
	o.FS, o.Now = fsys, func() time.Time { return now }
	system := newSystem()
	defer system.Shutdown()
	s, err := open(t.Context(), system, o)
	must(t, err)
	size := int64(s.mustPut(t, "a", 100).Size) - 100
	for range 3 {
		s.mustPut(t, "a", int(4096-8-4*size-400)/3+100)
	}
	if end := s.mustState(t).Watermarks.Appended; end < 4000 || end > 4088 {
		t.Fatalf("the log ends at %d", end)
	}
	s.mustPut(t, "a", 100) // writes the BLANK
	must(t, s.Close(t.Context()))
	layout := checkpoint.NewLayout(root, "")
	m, ok, err := checkpoint.ReadMark(fsys, layout)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	full, err := readFile(fsys, filepath.Join(layout.CommitLog(), mapped.Name(0)))
	must(t, err)
	start := int64(0)
	for at := int64(0); at < 4000; {
		size, kind, err := record.Measure(full[at:])
		must(t, err)
		if kind != record.KindRecord {
			break
		}
		start, at = at, at+int64(size)
	}
	m.FlushedEnd, m.LastRecordStart, m.LastRecordCRC = 4096, start, crc32.ChecksumIEEE(full[start:4096])
	must(t, checkpoint.WriteMark(fsys, layout, m))
	s, err = open(t.Context(), system, o)
	must(t, err)
	if n := s.count(t, "a"); n != 5 {
		t.Errorf("%d messages, want 5", n)
	}
	must(t, s.Close(t.Context()))
}

// The count of a unit in a batch queue was hit. Its record was returned, and the
// next ones were stepped over without a word.
func TestCountOfABatchUnitIsHit(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := small(t, fsys)
	for range 3 {
		m := record.Message{Topic: "inner", SysFlag: record.SysInnerBatch | record.SysNeedUnwrap, Body: []byte("body"),
			Properties: record.NewProperties(record.PropertyInnerNum, "2")}
		_, err := s.Put(t.Context(), &m)
		must(t, err)
	}
	must(t, s.Close(t.Context()))
	path := filepath.Join(checkpoint.NewLayout(root, "").BatchConsumeQueue(), "inner", "0", mapped.Name(0))
	b, err := readFile(fsys, path)
	must(t, err)
	b[46+36] ^= 0x10
	must(t, putFile(fsys, path, b, false))
	s = small(t, fsys)
	var g reader.GetResult
	err = s.view.Get(t.Context(), reader.GetRequest{Topic: "inner", Offset: 2}, &g)
	if err == nil && (len(g.Messages) == 0 || g.Messages[0].QueueOffset != 2 || g.NextOffset > 6) || g.NextOffset > 6 {
		t.Errorf("%s, %d messages, next %d, %v", g.Status, len(g.Messages), g.NextOffset, err)
	}
}
