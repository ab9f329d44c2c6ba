package mappedtest

import (
	"bytes"
	"io"
	"io/fs"
	"sync/atomic"
	"syscall"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// file is one open of a node.
type file struct {
	fs          *FS
	n           *node
	name        string
	read, write bool
	closed      atomic.Bool
}

func (f *file) Name() string { return f.name }

// begin locks the node for a call, if the file is open for it, and lets no copy of all
// files be taken in the middle of it.
func (f *file) begin(op string, allowed bool, otherwise syscall.Errno) error {
	f.fs.moment.RLock()
	f.n.mu.Lock()
	switch {
	case f.closed.Load():
		f.end()
		return fail(op, f.name, fs.ErrClosed)
	case !allowed:
		f.end()
		return fail(op, f.name, otherwise)
	}
	return nil
}

// end ends a call that has begun.
func (f *file) end() {
	f.n.mu.Unlock()
	f.fs.moment.RUnlock()
}

func (f *file) Close() error {
	f.n.mu.Lock()
	defer f.n.mu.Unlock()
	if f.closed.Swap(true) {
		return fail("close", f.name, fs.ErrClosed)
	}
	if f.n.holder == f {
		f.n.holder = nil
	}
	f.n.opens--
	f.fs.files.Add(-1)
	f.n.release()
	return nil
}

func (f *file) Size() (int64, error) {
	if err := f.begin("stat", true, 0); err != nil {
		return 0, err
	}
	defer f.end()
	return f.n.size(), nil
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	f.n.mu.RLock()
	defer f.n.mu.RUnlock()
	switch {
	case f.closed.Load():
		return 0, fail("read", f.name, fs.ErrClosed)
	case !f.read:
		return 0, fail("read", f.name, syscall.EBADF)
	case off < 0:
		return 0, fail("readat", f.name, syscall.EINVAL)
	case len(p) == 0:
		return 0, nil
	case off >= f.n.size():
		return 0, io.EOF
	}
	n := copy(p, f.n.live[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (f *file) WriteAt(p []byte, off int64) (int, error) {
	if err := f.begin("write", f.write, syscall.EBADF); err != nil {
		return 0, err
	}
	defer f.end()
	if off < 0 {
		return 0, fail("writeat", f.name, syscall.EINVAL)
	}
	if len(p) == 0 {
		return 0, nil
	}
	end := off + int64(len(p))
	if err := f.n.space.reserve(off/PageSize, pageCount(end)); err != nil {
		return 0, fail("write", f.name, err)
	}
	if end > f.n.size() {
		if err := f.n.resize(end); err != nil {
			return 0, fail("write", f.name, err)
		}
	}
	// What is there already is not stored: a reader of space that is zeroed ahead
	// of the log sees no change, and races with nothing.
	if !bytes.Equal(f.n.live[off:end], p) {
		copy(f.n.live[off:end], p)
	}
	f.n.touch(off, int64(len(p)))
	f.n.modTime = f.fs.now()
	return len(p), nil
}

func (f *file) Truncate(size int64) error {
	if err := f.begin("truncate", f.write && size >= 0, syscall.EINVAL); err != nil {
		return err
	}
	defer f.end()
	if err := f.n.resize(size); err != nil {
		return fail("truncate", f.name, err)
	}
	f.n.modTime = f.fs.now()
	return nil
}

func (f *file) Allocate(off, n int64) error {
	if off < 0 || n <= 0 {
		return fail("allocate", f.name, syscall.EINVAL)
	}
	if err := f.begin("fallocate", f.write, syscall.EBADF); err != nil {
		return err
	}
	defer f.end()
	if err := f.n.space.reserve(off/PageSize, pageCount(off+n)); err != nil {
		return fail("fallocate", f.name, err)
	}
	if off+n <= f.n.size() {
		return nil
	}
	if err := f.n.resize(off + n); err != nil {
		return fail("fallocate", f.name, err)
	}
	return nil
}

// Writeback changes nothing that is certain: any page may reach the disk at any
// time, as crash images have it.
func (f *file) Writeback(off, n int64) error {
	if off < 0 || n < 0 {
		return fail("writeback", f.name, syscall.EINVAL)
	}
	if err := f.begin("writeback", true, 0); err != nil {
		return err
	}
	defer f.end()
	return nil
}

func (f *file) Sync() error { return f.sync("sync") }

func (f *file) Datasync() error { return f.sync("fdatasync") }

func (f *file) sync(op string) error {
	if err := f.begin(op, true, 0); err != nil {
		return err
	}
	defer f.end()
	f.n.sync()
	return nil
}

// failSync is a Sync or Datasync that the disk refuses.
func (f *file) failSync(landed int) {
	f.fs.moment.RLock()
	f.n.mu.Lock()
	defer f.end()
	f.n.fail(0, allPages, landed)
}

func (f *file) Lock() error {
	if err := f.begin("lock", f.write, syscall.EBADF); err != nil {
		return err
	}
	defer f.end()
	if f.n.holder != nil && f.n.holder != f {
		return fail("lock", f.name, mapped.ErrLocked)
	}
	f.n.holder = f
	return nil
}

func (f *file) Locked() (bool, error) {
	if err := f.begin("lock", true, 0); err != nil {
		return false, err
	}
	defer f.end()
	return f.n.holder != nil && f.n.holder != f, nil
}
