package recoverer_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// stuckStore is a store whose last flush has failed on a file system that takes a
// page that was never written for written since then. The first segment was.
func stuckStore(t *testing.T) (fsys *mappedtest.FS, proven int64) {
	t.Helper()
	fsys = newFS()
	fsys.SetSticky()
	script := mappedtest.NewScript(fsys)
	s := open(t, script)
	s.puts("T", 3)
	s.summary()
	s.mark()
	proven = s.log.Flushed()
	for i := range 25 {
		s.add(message("T", 0, 3+i, 80))
	}
	script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: mapped.Name(segmentSize), Err: syscall.EIO})
	if err := s.sync.Flush(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("the flush: %v", err)
	}
	s.kill()
	return fsys, proven
}

// wantRenewed opens a store and wants to be told to open it again.
func wantRenewed(t *testing.T, fsys mapped.FS) {
	t.Helper()
	_, err := tryOpen(t, fsys)
	var again *recoverer.RenewedError
	var stuck *commitlog.StuckError
	if !errors.As(err, &again) || again.Segment != segmentSize || !errors.As(err, &stuck) || !strings.Contains(err.Error(), mapped.Name(segmentSize)) {
		t.Fatalf("got %v, want the second segment written anew", err)
	}
}

// TestStuckSegmentIsRenewed: the store is to be opened again, and then all that the
// page cache has shown is on the disk.
func TestStuckSegmentIsRenewed(t *testing.T) {
	fsys, _ := stuckStore(t)
	wantRenewed(t, fsys)
	s := open(t, fsys, func(s *store, _ *recoverer.Input) { s.renewed = []int64{segmentSize} })
	if got := s.read("T", 0); got != line(0, 28) || s.report.ReadOnly != nil {
		t.Errorf("read %s, read-only: %v", got, s.report.ReadOnly)
	}
	s.kill()
	check(t, fsys.Crash(1, mappedtest.Nothing), map[string]int{"T-0": 28})
}

// TestStuckSegmentCannotBeRenewed: whatever call of the copy fails the log ends at
// what is proven, for good, and says both why; the next opening tries again.
func TestStuckSegmentCannotBeRenewed(t *testing.T) {
	for _, op := range []mappedtest.Op{mappedtest.OpAllocate, mappedtest.OpWrite, mappedtest.OpSync, mappedtest.OpRename} {
		fsys, proven := stuckStore(t)
		path := "/store/actorstore/tmp/" + mapped.Name(segmentSize)
		if op == mappedtest.OpRename {
			path = s0.CommitLog() + "/" + mapped.Name(segmentSize)
		}
		s := open(t, mappedtest.NewScript(fsys, mappedtest.Rule{Op: op, Path: path, Err: syscall.ENOSPC}))
		var stuck *commitlog.StuckError
		if err := s.report.ReadOnly; !errors.As(err, &stuck) || !errors.Is(err, syscall.ENOSPC) || s.report.End != proven {
			t.Errorf("%v fails: read-only: %v, end %d, want %d", op, err, s.report.End, proven)
		}
		if got := s.read("T", 0); !strings.HasPrefix(got, line(0, 3)) {
			t.Errorf("%v fails: read %s", op, got)
		}
		s.kill()
		wantRenewed(t, fsys)
	}
}
