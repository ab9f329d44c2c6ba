package mapped_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// What the machine refuses is an error that names the path.
func TestOSRefuses(t *testing.T) {
	dir := t.TempDir()
	link, file := filepath.Join(dir, "link"), filepath.Join(dir, "file")
	must(t, os.Symlink(filepath.Join(dir, "nowhere"), link))
	must(t, create(t, mapped.OS(), file, []byte("x")).Close())
	gone := filepath.Join(dir, "gone")
	closed := create(t, mapped.OS(), filepath.Join(dir, "closed"), []byte("x"))
	must(t, closed.Close())
	for name, c := range map[string]struct {
		path string
		want error
		do   func() error
	}{
		"a directory in a link to nothing": {link, fs.ErrExist, func() error { return mapped.OS().MkdirAll(filepath.Join(link, "a")) }},
		"a directory that is such a link":  {link, fs.ErrExist, func() error { return mapped.OS().MkdirAll(link) }},
		"a directory that is a file":       {file, syscall.ENOTDIR, func() error { return mapped.OS().MkdirAll(file) }},
		"a directory in a file":            {filepath.Join(file, "a"), syscall.ENOTDIR, func() error { return mapped.OS().MkdirAll(filepath.Join(file, "a")) }},
		"usage":                            {gone, fs.ErrNotExist, func() error { _, err := mapped.OS().DiskUsage(gone); return err }},
		"syncfs":                           {gone, fs.ErrNotExist, func() error { return mapped.OS().SyncFS(gone) }},
		"syncdir":                          {gone, fs.ErrNotExist, func() error { return mapped.OS().SyncDir(gone) }},
		"size":                             {closed.Name(), fs.ErrClosed, func() error { _, err := closed.Size(); return err }},
		"map":                              {closed.Name(), fs.ErrClosed, func() error { _, err := closed.Map(0, 1, false); return err }},
		"allocate":                         {closed.Name(), fs.ErrClosed, func() error { return closed.Allocate(0, 1) }},
		"datasync":                         {closed.Name(), fs.ErrClosed, func() error { return closed.Datasync() }},
	} {
		var pe *fs.PathError
		if err := c.do(); !errors.Is(err, c.want) || !errors.As(err, &pe) || pe.Path != c.path {
			t.Errorf("%s: got %v, want %v for %s", name, err, c.want, c.path)
		}
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 3 {
		t.Errorf("%v %v is there", list, err)
	}
}

// A fault says in which file and where.
func TestFaultSays(t *testing.T) {
	r, path, page := cutFile(t)
	err := mapped.Guard(func() { r.Bytes()[3*page] = 1 })
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("%s: offset %d: ", path, 4*page)) {
		t.Errorf("got %v, want a place in %s", err, path)
	}
	// System calls meet such pages without a fault.
	wantErr(t, r.Populate(2*page, page, false), syscall.EFAULT)
	must(t, r.Populate(0, page, true))
}

// Who uses the pages of a range that Drop is to let go of, or the file that is
// closed already, is told of.
func TestDropFails(t *testing.T) {
	const size, page = 1 << 20, 4096
	f := create(t, mapped.OS(), filepath.Join(t.TempDir(), "a"), nil)
	must(t, f.Allocate(0, size))
	r, err := f.Map(0, size, true)
	must(t, err)
	defer r.Unmap()
	if err := unix.Mlock(r.Bytes()[:page]); err == nil {
		if _, err := r.Drop(0, size); !errors.Is(err, syscall.EINVAL) || !strings.Contains(err.Error(), f.Name()) {
			t.Errorf("locked in memory: %v", err)
		}
		must(t, unix.Munlock(r.Bytes()[:page]))
	}
	if _, err := r.Drop(-1, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("in front of the mapping: %v", err)
	}
	if at, err := r.Drop(0, 0); at != -1 || err != nil {
		t.Errorf("nothing: %d %v", at, err)
	}
	if _, err := r.Unwritten(size, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("behind the mapping: %v", err)
	}
	must(t, f.Close())
	if _, err := r.Drop(0, size); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
	if _, err := r.Unwritten(0, size); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
}

// A page that another mapping has in use stays, and Drop says where; in a hole there
// is nothing that a sync could take for written.
func TestDropStays(t *testing.T) {
	const size, page = 1 << 20, 4096
	dir := t.TempDir()
	f := create(t, mapped.OS(), filepath.Join(dir, "a"), nil)
	defer f.Close()
	must(t, f.Allocate(0, size))
	r, err := f.Map(0, size, true)
	must(t, err)
	defer r.Unmap()
	other, err := f.Map(0, size, false)
	must(t, err)
	defer other.Unmap()
	must(t, other.Random()) // or the kernel brings in those around it
	zero := other.Bytes()[70*page]
	var st unix.Statfs_t
	must(t, unix.Statfs(dir, &st))
	want := int64(70 * page)
	if uint32(st.Type) != unix.EXT4_SUPER_MAGIC {
		want = -1 // nobody is asked
	}
	if at, err := r.Drop(0, size); at != want || err != nil || zero != 0 {
		t.Errorf("stays at %d %v, want %d", at, err, want)
	}
	if at, err := r.Drop(71*page, size-71*page); at != -1 || err != nil {
		t.Errorf("behind it %d %v stays", at, err)
	}
	if memory, err := os.MkdirTemp("/dev/shm", ""); err == nil { // what it reserves nobody has to write
		defer os.RemoveAll(memory)
		f := create(t, mapped.OS(), filepath.Join(memory, "a"), nil)
		defer f.Close()
		must(t, f.Allocate(0, size))
		r, err := f.Map(0, size, true)
		must(t, err)
		defer r.Unmap()
		if at, err := r.Unwritten(0, size); at != -1 || err != nil {
			t.Errorf("unwritten in memory at %d %v", at, err)
		}
	}
	hole := create(t, mapped.OS(), filepath.Join(dir, "hole"), nil)
	defer hole.Close()
	must(t, hole.Truncate(size))
	h, err := hole.Map(0, size, true)
	must(t, err)
	defer h.Unmap()
	if at, err := h.Unwritten(0, size); at != -1 || err != nil {
		t.Errorf("a hole is unwritten at %d %v", at, err)
	}
}
