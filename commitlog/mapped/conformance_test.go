package mapped_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// everywhere runs a test on the machine's files, in memory, and behind a Script
// without rules, with an empty directory in each.
func everywhere(t *testing.T, test func(t *testing.T, fsys mapped.FS, dir string)) {
	t.Helper()
	memory := func(t *testing.T) mapped.FS {
		f := mappedtest.NewFS()
		must(t, f.MkdirAll("/store"))
		return f
	}
	t.Run("os", func(t *testing.T) { test(t, mapped.OS(), t.TempDir()) })
	t.Run("memory", func(t *testing.T) { test(t, memory(t), "/store") })
	t.Run("script", func(t *testing.T) { test(t, mappedtest.NewScript(memory(t)), "/store") })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantErr(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Fatalf("got error %v, want %v", err, want)
	}
}

// create makes a file with these bytes and leaves it open.
func create(t *testing.T, fsys mapped.FS, path string, content []byte) mapped.File {
	t.Helper()
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	must(t, err)
	if len(content) > 0 {
		_, err = f.WriteAt(content, 0)
		must(t, err)
	}
	return f
}

func TestOpenFile(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		path := filepath.Join(dir, "a")
		_, err := fsys.OpenFile(path, os.O_RDWR, 0)
		wantErr(t, err, fs.ErrNotExist)
		_, err = fsys.OpenFile(filepath.Join(dir, "no", "a"), os.O_RDWR|os.O_CREATE, 0o644)
		wantErr(t, err, fs.ErrNotExist)
		f := create(t, fsys, path, []byte("hello"))
		if f.Name() != path {
			t.Errorf("Name %q", f.Name())
		}
		must(t, f.Close())
		_, err = fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		wantErr(t, err, fs.ErrExist)
		_, err = fsys.OpenFile(filepath.Join(path, "b"), os.O_RDWR|os.O_CREATE, 0o644)
		wantErr(t, err, syscall.ENOTDIR)
		_, err = fsys.OpenFile(dir, os.O_RDWR, 0)
		wantErr(t, err, syscall.EISDIR)
		f, err = fsys.OpenFile(path, os.O_RDWR|os.O_TRUNC, 0)
		must(t, err)
		if n, err := f.Size(); n != 0 || err != nil {
			t.Errorf("truncated: size %d, %v", n, err)
		}
		must(t, f.Close())
	})
}

func TestReadWrite(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		f := create(t, fsys, filepath.Join(dir, "a"), []byte("hello"))
		_, err := f.WriteAt([]byte("world"), 10)
		must(t, err)
		b := make([]byte, 20)
		n, err := f.ReadAt(b, 0)
		if n != 15 || err != io.EOF || !bytes.Equal(b[:n], []byte("hello\x00\x00\x00\x00\x00world")) {
			t.Errorf("read %d %v %q", n, err, b[:n])
		}
		if n, err = f.ReadAt(b, 15); n != 0 || err != io.EOF {
			t.Errorf("read at the end: %d %v", n, err)
		}
		must(t, f.Truncate(3))
		must(t, f.Truncate(8))
		if n, _ = f.ReadAt(b, 0); !bytes.Equal(b[:n], []byte("hel\x00\x00\x00\x00\x00")) {
			t.Errorf("cut and grown: %q", b[:n])
		}
		must(t, f.Allocate(0, 4))
		if n, err := f.Size(); n != 8 || err != nil {
			t.Errorf("Allocate inside made it %d %v", n, err)
		}
		must(t, f.Allocate(4, 8192))
		if n, err := f.Size(); n != 8196 || err != nil {
			t.Errorf("Allocate behind made it %d %v", n, err)
		}
		wantErr(t, f.Allocate(-1, 8), syscall.EINVAL)
		wantErr(t, f.Allocate(0, 0), syscall.EINVAL)
		must(t, f.Writeback(1, 8000))
		must(t, f.Writeback(0, 0))
		wantErr(t, f.Writeback(-1, 8), syscall.EINVAL)
		must(t, f.Sync())
		must(t, f.Datasync())
		must(t, f.Close())
		wantErr(t, f.Close(), fs.ErrClosed)
		_, err = f.ReadAt(b, 0)
		wantErr(t, err, fs.ErrClosed)
		_, err = f.WriteAt(b, 0)
		wantErr(t, err, fs.ErrClosed)
		wantErr(t, f.Datasync(), fs.ErrClosed)
		wantErr(t, f.Writeback(0, 1), fs.ErrClosed)
		wantErr(t, f.Allocate(0, 1), fs.ErrClosed)
		wantErr(t, f.Lock(), fs.ErrClosed)
	})
}

func TestReadOnlyFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("errors have other names")
	}
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		path := filepath.Join(dir, "a")
		must(t, create(t, fsys, path, make([]byte, 100)).Close())
		f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
		must(t, err)
		defer f.Close()
		_, err = f.WriteAt([]byte("x"), 0)
		wantErr(t, err, syscall.EBADF)
		wantErr(t, f.Truncate(1), syscall.EINVAL)
		_, err = f.Map(0, 100, true)
		wantErr(t, err, syscall.EACCES)
		r, err := f.Map(0, 100, false)
		must(t, err)
		must(t, r.Flush(0, 100))
		must(t, r.Unmap())
	})
}

func TestMap(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		page := int64(os.Getpagesize())
		f := create(t, fsys, filepath.Join(dir, "a"), nil)
		must(t, f.Truncate(3*page))
		for _, c := range []struct{ off, n int64 }{{0, 0}, {0, 3*page + 1}, {1, page}, {-page, page}, {3 * page, 1}} {
			_, err := f.Map(c.off, c.n, true)
			wantErr(t, err, syscall.EINVAL)
		}
		r, err := f.Map(page, 2*page, true)
		must(t, err)
		must(t, r.Random())
		must(t, r.Populate(10, 20, true))
		must(t, r.Populate(0, 2*page, false))
		_, err = f.WriteAt([]byte("by file"), page+100)
		must(t, err)
		copy(r.Bytes()[200:], "by map")
		if got := r.Bytes()[100:107]; string(got) != "by file" {
			t.Errorf("map shows %q", got)
		}
		b := make([]byte, 6)
		if _, err := f.ReadAt(b, page+200); err != nil || string(b) != "by map" {
			t.Errorf("file shows %q %v", b, err)
		}
		must(t, r.Flush(200, 6))
		must(t, r.Flush(0, 0))
		must(t, r.Flush(0, 2*page))
		wantErr(t, r.Flush(page, page+1), syscall.EINVAL)
		wantErr(t, r.Flush(-1, 1), syscall.EINVAL)
		wantErr(t, r.Populate(page, page+1, true), syscall.EINVAL)
		if at, err := r.Unwritten(0, 2*page); at != -1 || err != nil {
			t.Errorf("what was flushed is unwritten at %d, %v", at, err)
		}
		if stays, err := r.Drop(0, 2*page); stays != -1 || err != nil {
			t.Errorf("what was flushed stays at %d, %v", stays, err)
		}
		if got := r.Bytes()[200:206]; string(got) != "by map" {
			t.Errorf("dropped, the map shows %q", got)
		}
		_, err = r.Unwritten(page, page+1)
		wantErr(t, err, syscall.EINVAL)
		_, err = r.Drop(-1, 1)
		wantErr(t, err, syscall.EINVAL)
		must(t, f.Close())
		if got := r.Bytes()[200:206]; string(got) != "by map" {
			t.Errorf("after Close the map shows %q", got)
		}
		must(t, r.Unmap())
		wantErr(t, r.Unmap(), fs.ErrClosed)
		wantErr(t, r.Flush(0, 1), fs.ErrClosed)
	})
}

func TestNames(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		join := func(s ...string) string { return filepath.Join(append([]string{dir}, s...)...) }
		must(t, fsys.MkdirAll(join("x", "y", "z")))
		must(t, fsys.MkdirAll(join("x", "y")))
		f := create(t, fsys, join("x", "f"), []byte("kept"))
		must(t, create(t, fsys, join("x", "g"), nil).Close())
		wantErr(t, fsys.MkdirAll(join("x", "f", "d")), syscall.ENOTDIR)
		wantErr(t, fsys.MkdirAll(join("x", "f")), syscall.ENOTDIR)
		wantErr(t, fsys.Remove(join("x")), syscall.ENOTEMPTY)
		wantErr(t, fsys.Remove(join("no")), fs.ErrNotExist)
		wantErr(t, fsys.Rename(join("no"), join("x", "n")), fs.ErrNotExist)
		wantErr(t, fsys.Rename(join("x", "f"), join("x", "y")), syscall.EEXIST)
		wantErr(t, fsys.SyncDir(join("no")), fs.ErrNotExist)
		must(t, fsys.Rename(join("x", "f"), join("x", "g")))
		must(t, fsys.SyncDir(join("x")))
		must(t, fsys.SyncFS(dir))
		_, err := fsys.Stat(join("x", "f"))
		wantErr(t, err, fs.ErrNotExist)
		info, err := fsys.Stat(join("x", "g"))
		must(t, err)
		if info.Name() != "g" || info.Size() != 4 || info.IsDir() || !info.Mode().IsRegular() || info.ModTime().IsZero() {
			t.Errorf("Stat: %v", info)
		}
		list, err := fsys.ReadDir(join("x"))
		must(t, err)
		if len(list) != 2 || list[0].Name() != "g" || list[1].Name() != "y" || !list[1].IsDir() {
			t.Errorf("ReadDir: %v", list)
		}
		_, err = fsys.ReadDir(join("no"))
		wantErr(t, err, fs.ErrNotExist)
		_, err = fsys.ReadDir(join("x", "g"))
		wantErr(t, err, syscall.ENOTDIR)
		must(t, fsys.Remove(join("x", "g")))
		b := make([]byte, 4)
		if _, err := f.ReadAt(b, 0); err != nil || string(b) != "kept" {
			t.Errorf("a removed file that is open reads %q %v", b, err)
		}
		must(t, f.Close())
		must(t, fsys.Remove(join("x", "y", "z")))
		u, err := fsys.DiskUsage(dir)
		if err != nil || u.Total <= 0 || u.Free <= 0 || u.Ratio() < 0 || u.Ratio() > 1 {
			t.Errorf("DiskUsage: %+v %v", u, err)
		}
	})
}

// TestLongNames: a step of a path has at most 255 bytes, in every call.
func TestLongNames(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it counts in other units and says so in other words")
	}
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		fits, long := filepath.Join(dir, strings.Repeat("f", 255)), filepath.Join(dir, strings.Repeat("l", 256))
		must(t, create(t, fsys, fits, nil).Close())
		must(t, fsys.MkdirAll(filepath.Join(dir, strings.Repeat("d", 255), "x")))
		_, err := fsys.OpenFile(long, os.O_RDWR|os.O_CREATE, 0o644)
		wantErr(t, err, syscall.ENAMETOOLONG)
		_, err = fsys.OpenFile(filepath.Join(long, "x"), os.O_RDWR, 0)
		wantErr(t, err, syscall.ENAMETOOLONG)
		wantErr(t, fsys.Rename(fits, long), syscall.ENAMETOOLONG)
		wantErr(t, fsys.Rename(long, fits), syscall.ENAMETOOLONG)
		wantErr(t, fsys.MkdirAll(long), syscall.ENAMETOOLONG)
		wantErr(t, fsys.MkdirAll(filepath.Join(long, "x")), syscall.ENAMETOOLONG)
		wantErr(t, fsys.Remove(long), syscall.ENAMETOOLONG)
		_, err = fsys.Stat(long) // which is not the same as that it is not there
		wantErr(t, err, syscall.ENAMETOOLONG)
		_, err = fsys.ReadDir(long)
		wantErr(t, err, syscall.ENAMETOOLONG)
		_, err = fsys.Stat(filepath.Join(dir, "no", filepath.Base(long)))
		wantErr(t, err, fs.ErrNotExist)
	})
}

func TestLock(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		path := filepath.Join(dir, "lock")
		a := create(t, fsys, path, nil)
		b, err := fsys.OpenFile(path, os.O_RDWR, 0)
		must(t, err)
		c, err := fsys.OpenFile(path, os.O_RDONLY, 0)
		must(t, err)
		locked := func(f mapped.File, want bool) {
			t.Helper()
			if got, err := f.Locked(); err != nil || got != want {
				t.Fatalf("Locked: %v %v, want %v", got, err, want)
			}
		}
		locked(c, false)
		must(t, a.Lock())
		must(t, a.Lock())
		locked(a, false)
		locked(b, true)
		if runtime.GOOS == "linux" {
			locked(c, true)
		}
		wantErr(t, b.Lock(), mapped.ErrLocked)
		must(t, c.Close())
		locked(b, true)
		must(t, a.Close())
		locked(b, false)
		must(t, b.Lock())
		must(t, b.Close())
	})
}
