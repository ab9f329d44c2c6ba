package recoverer_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/recoverer"
)

// unreadable is a file system whose files are mapped by the machine, and whose
// chosen ones can be read there only so far.
type unreadable struct {
	mapped.FS
	t    testing.TB
	keep map[string]int64 // path: bytes in front of the pages that cannot be read
}

func (u unreadable) OpenFile(name string, flag int, perm fs.FileMode) (mapped.File, error) {
	f, err := u.FS.OpenFile(name, flag, perm)
	keep, cut := u.keep[name]
	if err != nil || !cut {
		return f, err
	}
	return cutFile{f, u.t, keep}, nil
}

type cutFile struct {
	mapped.File
	t    testing.TB
	keep int64
}

// Map maps a copy that is cut at once.
func (f cutFile) Map(off, n int64, writable bool) (mapped.Region, error) {
	b := make([]byte, n)
	if _, err := f.ReadAt(b, off); err != nil {
		return nil, err
	}
	path := filepath.Join(f.t.TempDir(), filepath.Base(f.Name()))
	err := os.WriteFile(path, b, 0o644)
	var file mapped.File
	if err == nil {
		file, err = mapped.OS().OpenFile(path, os.O_RDWR, 0)
	}
	if err != nil {
		return nil, err
	}
	r, err := file.Map(0, n, writable)
	return r, errors.Join(err, os.Truncate(path, f.keep), file.Close())
}

// unreadableStore is a killed store of 60 messages, of which a segment's mapping
// can be read only so far.
func unreadableStore(t *testing.T, segment, keep int64, closed bool) (mapped.FS, string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut")
	}
	s := open(t, newFS())
	for i := range 60 {
		s.put(message("T", 0, i, 80))
	}
	path := s.segment(segment * segmentSize)
	if closed {
		s.close()
	} else {
		s.kill()
	}
	return unreadable{s.fs, t, map[string]int64{path: keep}}, path
}

// TestUnreadableSegment: no record may be cut with what cannot be read, nor may any
// be built upon that cannot be written again: the log is read-only. In front of a
// mark it is damage like any other. Nothing of it is lost once the disk is well.
func TestUnreadableSegment(t *testing.T) {
	for _, c := range []struct {
		name             string
		segment          int64
		closed, readOnly bool
	}{
		{"first", 0, false, true}, {"middle", 1, false, true}, {"end", 2, false, true},
		{"first of a closed store", 0, true, false}, {"middle of a closed store", 1, true, false}, {"end of a closed store", 2, true, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys, path := unreadableStore(t, c.segment, 0, c.closed)
			s := open(t, fsys, checkQueues)
			var fault *mapped.FaultError
			if got := s.report.ReadOnly; (got != nil) != c.readOnly || c.readOnly && (!errors.As(got, &fault) || !strings.HasSuffix(path, filepath.Base(fault.Path))) {
				t.Errorf("read-only: %v", got)
			}
			told := slices.ContainsFunc(s.report.Findings, func(f recoverer.Finding) bool {
				return f.Where == recoverer.CommitLog && strings.HasSuffix(path, filepath.Base(f.Path)) && strings.Contains(f.Got, "cannot be accessed")
			})
			if !told {
				t.Errorf("%s is not told of: %v", path, s.report.Findings)
			}
			s.kill()
			s = open(t, fsys.(unreadable).FS, checkQueues)
			if got := s.read("T", 0); got != line(0, 60) {
				t.Errorf("read %s", got)
			}
			s.kill()
		})
	}
}

// TestVerifyUnreadableSegment: a check comes past it and tells of nothing else.
func TestVerifyUnreadableSegment(t *testing.T) {
	for _, segment := range []int64{0, 1} {
		fsys, path := unreadableStore(t, segment, 0, true)
		v, err := openFiles(t, fsys, true)
		if err != nil {
			t.Fatal(err)
		}
		var found []recoverer.Finding
		err = recoverer.Verify(context.Background(), v.input, func(f recoverer.Finding) { found = append(found, f) })
		v.release()
		if err != nil || len(found) == 0 {
			t.Fatalf("found %v, %v", found, err)
		}
		for _, f := range found {
			if !strings.Contains(f.Got, filepath.Base(path)+": offset ") || !strings.Contains(f.Got, "cannot be accessed") {
				t.Errorf("segment %d: also %s", segment, f)
			}
		}
	}
}
