package indexsvc_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
)

// F29: a file that cannot be made leaves nothing, is tried once for each Put,
// and comes when the fault is gone.
func TestFailingCreation(t *testing.T) {
	for k := 1; ; k++ {
		fsys := newFS()
		script := mappedtest.NewScript(fsys)
		s := open(t, script, 7, 5)
		put(t, s, key(10, "a b c d"))
		whole := contents(t, fsys, s)
		before := len(script.Trace())
		script.FailAt(k, syscall.EIO)
		err := s.Put([]record.DispatchRequest{key(20, "a"), key(30, "b")})
		calls := script.Trace()[before:]
		if len(calls) < k {
			if err != nil || k < 10 {
				t.Fatalf("%d calls, %v", len(calls), err)
			}
			return
		}
		if err == nil {
			if op := calls[k-1].Op; op != mappedtest.OpClose && op != mappedtest.OpRemove {
				t.Errorf("failed unseen: %v", calls[k-1])
			}
			continue
		}
		var create *indexsvc.CreateError
		if !errors.As(err, &create) || !errors.Is(err, syscall.EIO) || !strings.HasPrefix(create.Path, dir) || !strings.Contains(err.Error(), create.Path) {
			t.Fatalf("%v: got %v", calls[k-1], err)
		}
		if got := append(names(t, fsys, dir), names(t, fsys, tmpDir)...); len(got) != 1 {
			t.Errorf("%v: left %v", calls[k-1], got)
		}
		wantFound(t, s, "T", "a", 10)
		if s.EndPhyOffset() != 10 {
			t.Errorf("end %d", s.EndPhyOffset())
		}
		put(t, s, key(20, "a"), key(30, "b"))
		wantFound(t, s, "T", "a", 20, 10)
		if got := contents(t, fsys, s); len(got) != 2 || !bytes.Equal(got[0], whole[0]) {
			t.Errorf("%d files", len(got))
		}
		verify(t, s)
	}
}

func TestMappingFailsForAWhile(t *testing.T) {
	fsys := newFS()
	script := mappedtest.NewScript(fsys, mappedtest.Rule{Op: mappedtest.OpMap, Err: syscall.ENOMEM, Forever: true})
	s := open(t, script, 97, 400)
	reqs := make([]record.DispatchRequest, 0, 500)
	for i := range 500 {
		reqs = append(reqs, key(int64(i), "k"))
		if err := s.Put(reqs); !errors.Is(err, syscall.ENOMEM) {
			t.Fatalf("put %d: %v", i, err)
		}
		if got := append(names(t, fsys, dir), names(t, fsys, tmpDir)...); len(got) != 0 {
			t.Fatalf("left %v", got)
		}
	}
	if n := script.Count(mappedtest.OpMap); n != 500 {
		t.Errorf("%d tries for 500 puts", n)
	}
	script.Clear()
	put(t, s, reqs...)
	if got := find(t, s, "T", "k"); len(got) != 500 {
		t.Errorf("%d found", len(got))
	}
}

func TestDiskFull(t *testing.T) {
	fsys := newFS()
	fsys.SetCapacity(8 * mappedtest.PageSize)
	s := open(t, fsys, 97, 400) // three pages each
	for i := range int64(798) {
		put(t, s, key(i, "k"))
	}
	err := s.Put([]record.DispatchRequest{key(798, "k")})
	var create *indexsvc.CreateError
	if !errors.As(err, &create) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v", err)
	}
	if got := names(t, fsys, tmpDir); len(got) != 0 {
		t.Errorf("left %v", got)
	}
	fsys.SetCapacity(1 << 30)
	put(t, s, key(798, "k"))
	if got := find(t, s, "T", "k"); len(got) != 799 {
		t.Errorf("%d found", len(got))
	}
}

// F26: what was flushed is there after a power cut.
func TestFlushedSurvivesAPowerCut(t *testing.T) {
	for _, mode := range mappedtest.Modes() {
		fsys := newFS()
		s := open(t, fsys, 97, 400)
		for i := range int64(600) {
			put(t, s, key(i, "k x"+string(rune('a'+i%26))))
		}
		if err := s.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		image := fsys.Crash(7, mode)
		s = open(t, image, 97, 400)
		if got := find(t, s, "T", "k"); len(got) != 600 {
			t.Errorf("%v: %d found", mode, len(got))
		}
		verify(t, s)
	}
}

// What was not flushed may be torn: nothing panics, nothing hangs, and Verify or
// Open tells, or the index is sound.
func TestTornByAPowerCut(t *testing.T) {
	for _, mode := range mappedtest.Modes() {
		for seed := range uint64(12) {
			fsys := newFS()
			s := open(t, fsys, 1097, 400)
			for i := range int64(300) {
				put(t, s, key(i, "k x"+string(rune('a'+i%26))))
				if i == 100 {
					if err := s.Flush(); err != nil {
						t.Fatal(err)
					}
				}
			}
			image := fsys.Crash(seed, mode)
			s = open(t, image, 1097, 400)
			sound := s.Verify(nil) == nil
			found := 0
			err := s.Query("T", "k", 0, func(int64) bool { found++; return true })
			if sound && (err != nil || len(s.Files()) == 0 || found < 101) {
				t.Fatalf("%v %d: sound, but %d found, %v", mode, seed, found, err)
			}
			if err := s.Reset(aside); err != nil {
				t.Fatal(err)
			}
			for i := range int64(300) {
				put(t, s, key(i, "k"))
			}
			if got := find(t, s, "T", "k"); len(got) != 300 {
				t.Fatalf("%v %d: %d after the rebuild", mode, seed, len(got))
			}
		}
	}
}

// F28: the header is the same after reopening, and so are the answers.
func TestReopenKeepsHeaders(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 97, 100)
	for i := range int64(350) {
		put(t, s, rec(i, t0+1000*i, "T", "", "k", "tag"))
	}
	want := s.Files()
	hits := find(t, s, "T", "k")
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	for name, image := range map[string]mapped.FS{"clean": fsys, "killed": fsys.Kill(), "power cut": fsys.Crash(1, mappedtest.Nothing)} {
		s := open(t, image, 97, 100)
		if got := s.Files(); !slices.Equal(got, want) {
			t.Errorf("%s: got %+v, want %+v", name, got, want)
		}
		wantFound(t, s, "T", "k", hits...)
	}
	last := want[len(want)-1]
	if last.EndTimestamp != t0+349000 || last.EndPhyOffset != 349 || want[0].BeginTimestamp != t0 {
		t.Errorf("%+v", last)
	}
}

// A file cut behind the mapping is an error, not a crash.
func TestFaultUnderTheMapping(t *testing.T) {
	root := t.TempDir()
	s, err := indexsvc.Open(indexsvc.Options{FS: mapped.OS(), Dir: root, TmpDir: filepath.Join(root, "tmp"), MaxHashSlotNum: 97, MaxIndexNum: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for i := range int64(20_000) {
		put(t, s, key(i, "k"))
	}
	path := s.Files()[0].Path
	if err := os.Truncate(path, 4096); err != nil {
		t.Skip(err)
	}
	var fault *mapped.FaultError
	n := 0
	if err := s.Query("T", "k", 0, func(int64) bool { n++; return true }); !errors.As(err, &fault) || fault.Path != path {
		t.Errorf("query: %d, %v", n, err)
	}
	if err := s.Verify(nil); !errors.As(err, &fault) {
		t.Errorf("verify: %v", err)
	}
	if err := s.Put([]record.DispatchRequest{key(20_000, "k")}); !errors.As(err, &fault) {
		t.Errorf("put: %v", err)
	}
}

func TestClosed(t *testing.T) {
	s := open(t, newFS(), 7, 5)
	put(t, s, key(10, "k"))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	_, derr := s.DeleteExpired(0)
	for _, err := range []error{
		s.Put([]record.DispatchRequest{key(20, "k")}), s.Query("T", "k", 0, nil), s.Reset(""), derr,
	} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("got %v", err)
		}
	}
}
