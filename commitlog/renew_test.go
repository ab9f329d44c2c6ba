package commitlog_test

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// A place that no sync makes durable is told with its segment; a copy in the
// segment's place has the same bytes, durable, and is believed.
func TestStuckAndRenewed(t *testing.T) {
	fs := mappedtest.NewFS()
	fs.SetSticky()
	s := mappedtest.NewScript(fs)
	b := begin(t, s, "/store", staged)
	b.fill(3, 1000)
	end := b.log.Appended()
	want := b.bytesOf(0, end)
	s.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Err: syscall.EIO})
	wantErr(t, b.disk.Flush(), syscall.EIO)
	b.log.Close()

	b = open(t, s, "/store", 0, end, staged)
	var stuck *commitlog.StuckError
	if err := durably(b.log, 0, end); !errors.As(err, &stuck) || stuck.Segment != 0 || stuck.Offset < 0 || stuck.Offset >= end ||
		!strings.Contains(err.Error(), stuck.Path+": offset ") {
		t.Fatalf("got %v, want the segment that is stuck", err)
	}
	noErr(t, b.log.Renew(stuck.Segment))
	b.log.Close()
	renewed := func(o *commitlog.Options) { o.Renewed = []int64{0} }
	for _, m := range mappedtest.Modes() {
		after := open(t, fs.Crash(1, m), "/store", 0, end, staged, renewed)
		equal(t, "bytes are the same", bytes.Equal(after.bytesOf(0, end), want), true)
		noErr(t, durably(after.log, 0, end))
		after.log.Close()
	}
}

// Each call of Renew fails once: the segment shows the same bytes before and after,
// also to who opens it then, and the next try succeeds.
func TestRenewFails(t *testing.T) {
	for k := 1; ; k++ {
		fs := mappedtest.NewFS()
		s := mappedtest.NewScript(fs)
		b := begin(t, s, "/store", staged)
		b.fill(3, 1000)
		noErr(t, b.disk.Flush())
		end := b.log.Appended()
		want := b.bytesOf(0, end)
		s.FailAt(k, syscall.EIO)
		from := s.Calls()
		err := b.log.Renew(0)
		if s.Clear(); err == nil {
			equal(t, "a failure was not reported", s.Calls()-from >= k, false)
			return
		}
		wantErr(t, err, syscall.EIO)
		equal(t, "names the segment", strings.Contains(err.Error(), b.log.Segments()[0].Path()), true)
		for _, m := range mappedtest.Modes() {
			after := open(t, fs.Crash(uint64(k), m), "/store", 0, end, staged)
			equal(t, "bytes are the same", bytes.Equal(after.bytesOf(0, end), want), true)
			after.log.Close()
		}
		noErr(t, b.log.Renew(0))
		b.log.Close()
	}
}

// What is not there, closed, or cannot be read is not renewed, nor written again.
func TestRenewRefuses(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut")
	}
	b := begin(t, mapped.OS(), t.TempDir(), sized(1<<20), staged)
	b.fill(3, 100_000)
	noErr(t, b.disk.Flush())
	end := b.log.Appended()
	if err := b.log.Renew(5 << 20); err == nil || !strings.Contains(err.Error(), "5242880") {
		t.Errorf("no segment: %v", err)
	}
	f := b.log.Segments()[0]
	noErr(t, f.File().Truncate(4096))
	for name, do := range map[string]func() error{
		"renew": func() error { return b.log.Renew(0) }, "rewrite": func() error { return durably(b.log, 0, end) },
	} {
		if err := do(); err == nil || !strings.Contains(err.Error(), f.Path()) {
			t.Errorf("%s: got %v, want an error for %s", name, err, f.Path())
		}
	}
	info, err := os.Stat(f.Path())
	noErr(t, err)
	equal(t, "bytes of the segment", info.Size(), 4096)
	f.Retire()
	for name, err := range map[string]error{"renew": b.log.Renew(0), "rewrite": durably(b.log, 0, end)} {
		if err == nil {
			t.Errorf("%s: a closed segment was written", name)
		}
	}
}

// A segment that was made but could not be mapped is taken in later, and only when
// its name is durable.
func TestAdoptFails(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store")
	b.fill(1, 1000)
	s.Add(mappedtest.Rule{Op: mappedtest.OpMap, Err: syscall.ENOMEM})
	_, err := b.alloc.Prepare()
	wantErr(t, err, commitlog.ErrNoSegment, syscall.ENOMEM)
	for _, op := range []mappedtest.Op{mappedtest.OpSyncDir, mappedtest.OpOpen, mappedtest.OpMap} {
		s.Add(mappedtest.Rule{Op: op, Err: syscall.EIO})
		f, err := b.alloc.Prepare()
		wantErr(t, err, commitlog.ErrNoSegment, syscall.EIO)
		equal(t, "segments", len(b.log.Segments()), 1)
		if f != nil {
			t.Errorf("%v: got a segment with the error", op)
		}
		s.Clear()
	}
	f, err := b.alloc.Prepare()
	noErr(t, err)
	equal(t, "offset", f.Offset(), segment)
	b.fill(5, 1000)
	equal(t, "records", len(records(items(t, b.log, 0, b.log.Appended()))), 6)
}

// Watermarks only rise.
func TestReplicatedRises(t *testing.T) {
	log := begin(t, mappedtest.NewFS(), "/store").log
	for _, c := range [][2]int64{{500, 500}, {300, 500}, {501, 501}} {
		log.SetReplicated(c[0])
		equal(t, "replicated", log.Replicated(), c[1])
	}
}
