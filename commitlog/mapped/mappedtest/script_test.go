package mappedtest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	var pe *fs.PathError
	if !errors.Is(err, want) || !errors.As(err, &pe) {
		t.Fatalf("got %v, want %v", err, want)
	}
}

// After a failed sync the page cache lies: what it shows is neither dirty nor
// durable, and a later success proves nothing.
func TestFailedSyncLosesPages(t *testing.T) {
	for name, failing := range map[string]struct {
		op   mappedtest.Op
		call func(*mappedtest.Script, mapped.File, mapped.Region) error
	}{
		"sync": {mappedtest.OpSync, func(_ *mappedtest.Script, f mapped.File, _ mapped.Region) error { return f.Sync() }},
		"datasync": {mappedtest.OpDatasync, func(_ *mappedtest.Script, f mapped.File, _ mapped.Region) error {
			return f.Datasync()
		}},
		"flush": {mappedtest.OpFlush, func(_ *mappedtest.Script, _ mapped.File, r mapped.Region) error {
			return r.Flush(0, 4*page)
		}},
		"syncfs": {mappedtest.OpSyncFS, func(s *mappedtest.Script, _ mapped.File, _ mapped.Region) error {
			return s.SyncFS("/")
		}},
	} {
		t.Run(name, func(t *testing.T) {
			f := mappedtest.NewFS()
			s := mappedtest.NewScript(f)
			a := open(t, s, "/a", 4*page)
			must(t, a.Sync())
			must(t, f.SyncDir("/"))
			r, err := a.Map(0, 4*page, true)
			must(t, err)
			write(t, a, 0, 'a', page)
			copy(r.Bytes()[page:], strings.Repeat("b", page))
			copy(r.Bytes()[2*page:], strings.Repeat("c", page))
			s.Add(mappedtest.Rule{Op: failing.op, Err: syscall.EIO})
			wantErr(t, failing.call(s, a, r), syscall.EIO)
			must(t, failing.call(s, a, r))
			for _, mode := range mappedtest.Modes() {
				wantFile(t, f.Crash(1, mode), "/a", ".*16384")
			}
			wantFile(t, f, "/a", "a*4096 b*4096 c*4096 .*4096")
			k := f.Kill()
			wantFile(t, k, "/a", "a*4096 b*4096 c*4096 .*4096")
			ka := open(t, k, "/a", 0)
			must(t, ka.Sync())
			wantFile(t, k.Crash(1, mappedtest.Everything), "/a", ".*16384")
			wantFile(t, k.DropCaches(), "/a", ".*16384")
			wantFile(t, f.DropCaches(), "/a", ".*16384")
			// Written again: the same bytes by the file, others by the map.
			write(t, ka, 0, 'a', page)
			must(t, ka.Sync())
			wantFile(t, k.Crash(1, mappedtest.Nothing), "/a", "a*4096 .*12288")
			r.Bytes()[page] = 'x'
			wantFile(t, f.DropCaches(), "/a", ".*4096 x*1 b*4095 .*8192")
			must(t, failing.call(s, a, r))
			wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", ".*4096 x*1 b*4095 .*8192")
		})
	}
}

func TestLandedShortLie(t *testing.T) {
	f := mappedtest.NewFS()
	s := mappedtest.NewScript(f)
	a := open(t, s, "/a", 4*page)
	must(t, a.Sync())
	must(t, f.SyncDir("/"))
	write(t, a, 0, 'a', 4*page)
	s.Add(mappedtest.Rule{Op: mappedtest.OpSync, Err: syscall.EIO, Landed: 1})
	wantErr(t, a.Sync(), syscall.EIO)
	wantFile(t, f.Crash(1, mappedtest.Everything), "/a", "a*4096 .*12288")

	s.Add(mappedtest.Rule{Op: mappedtest.OpWrite, Err: syscall.ENOSPC, Short: 10})
	n, err := a.WriteAt([]byte(strings.Repeat("b", 100)), 0)
	wantErr(t, err, syscall.ENOSPC)
	if n != 10 {
		t.Errorf("wrote %d", n)
	}
	wantFile(t, f, "/a", "b*10 a*16374")

	s.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Lie: true})
	must(t, a.Datasync())
	wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", "a*4096 .*12288")
	must(t, a.Datasync())
	wantFile(t, f.Crash(1, mappedtest.Nothing), "/a", "b*10 a*4086 .*12288")
}

func TestRules(t *testing.T) {
	f := mappedtest.NewFS()
	must(t, f.MkdirAll("/d"))
	var events []string
	s := mappedtest.NewScript(f,
		mappedtest.Rule{Op: mappedtest.OpWrite, Path: "/d/*", At: 2, Err: syscall.EIO,
			Before: func() { events = append(events, "before") }, Then: func() { events = append(events, "then") }},
		mappedtest.Rule{Op: mappedtest.OpTruncate, Path: "b", At: 2, Forever: true, Err: syscall.ENOSPC},
	)
	a, b := open(t, s, "/d/a", 0), open(t, s, "/b", 0)
	put := func(h mapped.File) error { _, err := h.WriteAt([]byte("x"), 0); return err }
	must(t, put(b))
	must(t, put(a))
	must(t, put(b))
	wantErr(t, put(a), syscall.EIO)
	must(t, put(a))
	if strings.Join(events, " ") != "before then" {
		t.Errorf("events %v", events)
	}
	must(t, a.Truncate(1))
	must(t, b.Truncate(1))
	for range 3 {
		wantErr(t, b.Truncate(2), syscall.ENOSPC)
	}
	must(t, a.Truncate(2))
	s.Clear()
	must(t, b.Truncate(2))
	if s.Count(mappedtest.OpWrite) != 5 || s.Count(mappedtest.OpTruncate) != 7 || s.Calls() != 14 || s.Count(mappedtest.OpAny) != 14 {
		t.Errorf("counts: %d writes, %d truncations, %d calls", s.Count(mappedtest.OpWrite), s.Count(mappedtest.OpTruncate), s.Calls())
	}
	trace := s.Trace()
	if c := trace[5]; len(trace) != 14 || c.N != 6 || c.Op != mappedtest.OpWrite || c.Path != "/d/a" || c.Len != 1 || !errors.Is(c.Err, syscall.EIO) {
		t.Errorf("trace:\n%s", s.TraceString())
	}
	if got := trace[5].String(); got != "#6 write /d/a [0,+1): write /d/a: "+syscall.EIO.Error() {
		t.Errorf("line %q", got)
	}
	s.FailAt(2, syscall.EMFILE)
	must(t, put(a))
	_, err := s.Stat("/b")
	wantErr(t, err, syscall.EMFILE)
	must(t, put(a))
}

// TestThere: one place of the disk is bad from a call on, and others are good.
func TestThere(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS(), mappedtest.Rule{Op: mappedtest.OpWrite, At: 2, There: true, Err: syscall.EIO})
	a, b := open(t, s, "/a", 0), open(t, s, "/b", 0)
	put := func(h mapped.File) error { _, err := h.WriteAt([]byte("x"), 0); return err }
	must(t, put(b))
	for range 3 {
		wantErr(t, put(a), syscall.EIO)
		must(t, put(b))
		must(t, a.Truncate(1))
	}
	s.Clear()
	must(t, put(a))
}

// Every call can be made to fail, reports the cause, and is counted once.
func TestEveryCallFails(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	must(t, s.MkdirAll("/d"))
	a := open(t, s, "/a", page)
	r, err := a.Map(0, page, true)
	must(t, err)
	calls := map[mappedtest.Op]func() error{
		mappedtest.OpOpen:      func() error { _, err := s.OpenFile("/a", os.O_RDWR, 0); return err },
		mappedtest.OpMkdirAll:  func() error { return s.MkdirAll("/e") },
		mappedtest.OpMkdir:     func() error { return s.Mkdir("/e") },
		mappedtest.OpReadDir:   func() error { _, err := s.ReadDir("/"); return err },
		mappedtest.OpStat:      func() error { _, err := s.Stat("/a"); return err },
		mappedtest.OpRename:    func() error { return s.Rename("/a", "/b") },
		mappedtest.OpRemove:    func() error { return s.Remove("/a") },
		mappedtest.OpSyncDir:   func() error { return s.SyncDir("/") },
		mappedtest.OpSyncFS:    func() error { return s.SyncFS("/") },
		mappedtest.OpDiskUsage: func() error { _, err := s.DiskUsage("/"); return err },
		mappedtest.OpRead:      func() error { _, err := a.ReadAt(make([]byte, 1), 0); return err },
		mappedtest.OpWrite:     func() error { _, err := a.WriteAt([]byte{1}, 0); return err },
		mappedtest.OpSize:      func() error { _, err := a.Size(); return err },
		mappedtest.OpTruncate:  func() error { return a.Truncate(1) },
		mappedtest.OpAllocate:  func() error { return a.Allocate(0, 9000) },
		mappedtest.OpWriteback: func() error { return a.Writeback(0, 1) },
		mappedtest.OpSync:      a.Sync,
		mappedtest.OpDatasync:  a.Datasync,
		mappedtest.OpMap:       func() error { _, err := a.Map(0, 1, true); return err },
		mappedtest.OpLock:      a.Lock,
		mappedtest.OpLocked:    func() error { _, err := a.Locked(); return err },
		mappedtest.OpFlush:     func() error { return r.Flush(0, 1) },
		mappedtest.OpPopulate:  func() error { return r.Populate(0, 1, true) },
		mappedtest.OpRandom:    func() error { return r.Random() },
		mappedtest.OpUnwritten: func() error { _, err := r.Unwritten(0, 1); return err },
		mappedtest.OpDrop:      func() error { _, err := r.Drop(0, 1); return err },
	}
	last := map[mappedtest.Op]func() error{mappedtest.OpUnmap: r.Unmap, mappedtest.OpClose: a.Close}
	for _, group := range []map[mappedtest.Op]func() error{calls, last} {
		for op, call := range group {
			s.Clear()
			s.Add(mappedtest.Rule{Op: op, Err: syscall.EIO})
			before, count := s.Calls(), s.Count(op)
			wantErr(t, call(), syscall.EIO)
			if s.Calls() != before+1 || s.Count(op) != count+1 {
				t.Errorf("%v counted wrongly", op)
			}
		}
	}
	s.Clear()
	if n := read(t, s, "/a"); len(n) != page {
		t.Errorf("a failing call did something: %d bytes", len(n))
	}
	if _, err := s.Stat("/e"); err == nil {
		t.Error("a failing MkdirAll made a directory")
	}
	if err := a.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a failing Close did not close: %v", err)
	}
}

func TestScriptBeforeTheMachine(t *testing.T) {
	s := mappedtest.NewScript(mapped.OS(), mappedtest.Rule{Op: mappedtest.OpDatasync, Err: syscall.EIO})
	a := open(t, s, filepath.Join(t.TempDir(), "a"), page)
	defer a.Close()
	wantErr(t, a.Datasync(), syscall.EIO)
	must(t, a.Datasync())
}
