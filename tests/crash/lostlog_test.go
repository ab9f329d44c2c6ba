package crash

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// A power cut took the whole log and left the second file of a queue. The first
// message that came then had the offset at which that file begins.
func TestLaterQueueFileAlone(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := small(t, fsys)
	for range 25 {
		s.mustPut(t, "d", 10)
	}
	cut := fsys.Crash(1, mappedtest.Nothing)
	layout := checkpoint.NewLayout(root, "")
	dir := filepath.Join(layout.ConsumeQueue(), "d", "0")
	must(t, cut.MkdirAll(dir))
	f, err := cut.OpenFile(filepath.Join(dir, mapped.Name(200)), os.O_RDWR|os.O_CREATE, 0o644)
	must(t, err)
	must(t, f.Truncate(200))
	must(t, f.Close())
	s = small(t, cut)
	if r := s.mustPut(t, "d", 10); r.QueueOffset != 0 {
		t.Fatalf("the first message has queue offset %d, want 0", r.QueueOffset)
	}
	must(t, s.Close(t.Context()))
	if n := small(t, cut.Kill()).count(t, "d"); n != 1 {
		t.Fatalf("%d messages after reopening, want 1", n)
	}
}

// A power cut took the whole log and left an index file as it is made. After a
// clean stop the record at offset 0 was taken to be in it.
func TestEmptyIndexFileHasNoFirstRecord(t *testing.T) {
	fsys := mappedtest.NewFS()
	must(t, small(t, fsys).Close(t.Context()))
	fsys = fsys.Kill()
	dir := checkpoint.NewLayout(root, "").Index()
	must(t, fsys.MkdirAll(dir))
	f, err := fsys.OpenFile(filepath.Join(dir, "20000101000000000"), os.O_RDWR|os.O_CREATE, 0o644)
	must(t, err)
	empty := make([]byte, 40+4*16+20*40)
	empty[39] = 1 // indexCount, which counts an entry that is never used
	_, err = f.WriteAt(empty, 0)
	must(t, err)
	must(t, f.Close())
	s := small(t, fsys)
	m := &record.Message{Topic: "d", Body: []byte("x")}
	m.SetKeys("key")
	_, err = s.Put(t.Context(), m)
	must(t, err)
	must(t, s.Dispatched(t.Context()))
	must(t, s.Flush(t.Context()))
	for _, s := range []*opened{s, small(t, fsys.Crash(1, mappedtest.Nothing))} {
		found, err := s.view.Query(t.Context(), reader.QueryRequest{Topic: "d", Key: "key", End: math.MaxInt64})
		must(t, err)
		if len(found.Messages) != 1 {
			t.Fatalf("%d messages with the key, want 1", len(found.Messages))
		}
	}
}

// The end of a log that was closed cleanly reads as zeros. The store opened
// without a word, as if another engine had cut it.
func TestZeroedEndIsTold(t *testing.T) {
	fsys := mappedtest.NewFS()
	s := small(t, fsys)
	for range 9 {
		s.mustPut(t, "d", 300)
	}
	last := s.mustPut(t, "d", 300)
	must(t, s.Close(t.Context()))
	fsys = fsys.Kill()
	f, err := fsys.OpenFile(filepath.Join(checkpoint.NewLayout(root, "").CommitLog(), mapped.Name(0)), os.O_RDWR, 0o644)
	must(t, err)
	_, err = f.WriteAt(make([]byte, 16<<10-1000), 1000)
	must(t, err)
	must(t, f.Close())

	o := workload.PlanOf("single").Options(root)
	o.FS = fsys
	var opened actors.OpenedEvent
	var told []string
	o.Events.Opened = func(e actors.OpenedEvent) { opened = e }
	o.Events.CorruptionFound = func(err error) { told = append(told, err.Error()) }
	system := newSystem()
	defer system.Shutdown()
	s, err = open(t.Context(), system, o)
	must(t, err)
	must(t, s.Close(t.Context()))
	if opened.Missing != last.End()-opened.End || opened.End > 1000 {
		t.Errorf("opened: %+v, the log ended at %d", opened, last.End())
	}
	if !strings.Contains(strings.Join(told, "\n"), "which its mark says was on disk") {
		t.Errorf("told: %q", told)
	}
}
