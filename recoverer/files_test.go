package recoverer_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/consumequeue"
)

// path of a segment.
func (s *store) segment(offset int64) string {
	return filepath.Join(s.layout.CommitLog(), mapped.Name(offset-offset%s.length))
}

// overwrite changes bytes of a file.
func overwrite(t testing.TB, fsys mapped.FS, path string, at int64, b []byte) {
	t.Helper()
	f, err := fsys.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		_, err = f.WriteAt(b, at)
		err = errors.Join(err, f.Sync(), f.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
}

// cut is a power cut that has cost nothing.
func cut(fsys mapped.FS) mapped.FS { return fsys.(*mappedtest.FS).Crash(1, mappedtest.Everything) }

// flip changes one bit of the log.
func (s *store) flip(offset int64) {
	s.t.Helper()
	s.change(offset, 4)
}

// change flips bits of one byte of the log.
func (s *store) change(offset int64, bits byte) {
	s.t.Helper()
	path := s.segment(offset)
	b := contents(s.t, s.fs, path)
	overwrite(s.t, s.fs, path, offset%segmentSize, []byte{b[offset%segmentSize] ^ bits})
}

// unitAt is the file of a unit of a simple queue, and where in it that stands.
func (s *store) unitAt(topic string, queue int32, unit int64) (path string, at int64) {
	at = unit * consumequeue.UnitSize
	return filepath.Join(s.layout.ConsumeQueue(), topic, fmt.Sprint(queue), mapped.Name(at-at%queueFileSize)), at % queueFileSize
}

// pointTo lets a unit point at another place.
func (s *store) pointTo(topic string, unit, physical int64) {
	s.t.Helper()
	path, at := s.unitAt(topic, 0, unit)
	overwrite(s.t, s.fs, path, at, binary.BigEndian.AppendUint64(nil, uint64(physical)))
}

func contents(t testing.TB, fsys mapped.FS, path string) []byte {
	t.Helper()
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n, err := f.Size()
	if err != nil {
		t.Fatal(err)
	}
	b := make([]byte, n)
	if n > 0 {
		if _, err := f.ReadAt(b, 0); err != nil {
			t.Fatal(err)
		}
	}
	return b
}

// create makes a file.
func create(t testing.TB, fsys mapped.FS, path string, b []byte) {
	t.Helper()
	if err := fsys.MkdirAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err == nil {
		if len(b) > 0 {
			_, err = f.WriteAt(b, 0)
		}
		err = errors.Join(err, f.Sync(), f.Close(), fsys.SyncDir(filepath.Dir(path)))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// remove removes a file or a tree.
func remove(t testing.TB, fsys mapped.FS, path string) {
	t.Helper()
	info, err := fsys.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		entries, err := fsys.ReadDir(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			remove(t, fsys, filepath.Join(path, e.Name()))
		}
	}
	if err := fsys.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := fsys.SyncDir(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
}

// tree is every file below dir with its contents, skip left out.
func tree(t testing.TB, fsys mapped.FS, dir string, skip ...string) map[string]string {
	t.Helper()
	out := map[string]string{}
	var walk func(string)
	walk = func(dir string) {
		entries, err := fsys.ReadDir(dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			switch {
			case slices.Contains(skip, path):
			case e.IsDir():
				walk(path)
			default:
				out[path] = string(contents(t, fsys, path))
			}
		}
	}
	walk(dir)
	return out
}

// difference names the files that two trees do not agree on.
func difference(a, b map[string]string) []string {
	var out []string
	for path, x := range a {
		if y, ok := b[path]; !ok {
			out = append(out, path+" is gone")
		} else if x != y {
			out = append(out, path+" differs")
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			out = append(out, path+" is new")
		}
	}
	sort.Strings(out)
	return out
}
