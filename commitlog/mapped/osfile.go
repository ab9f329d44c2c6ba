package mapped

import (
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// osFile is an open file of the machine.
type osFile struct {
	f    *os.File
	held atomic.Bool // this open holds the lock

	holes atomic.Int32 // whether the file system tells where they are
}

func (f *osFile) Name() string { return f.f.Name() }

func (f *osFile) ReadAt(p []byte, off int64) (int, error) { return f.f.ReadAt(p, off) }

func (f *osFile) WriteAt(p []byte, off int64) (int, error) { return f.f.WriteAt(p, off) }

// Close ends the lock too, also where the kernel would keep it for a while.
func (f *osFile) Close() error {
	if f.held.Swap(false) {
		unlockFile(f.f)
	}
	return f.f.Close()
}

func (f *osFile) Size() (int64, error) {
	info, err := f.f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

func (f *osFile) Truncate(size int64) error { return f.f.Truncate(size) }

func (f *osFile) Allocate(off, n int64) error {
	if off < 0 || n <= 0 {
		return &fs.PathError{Op: "allocate", Path: f.Name(), Err: syscall.EINVAL}
	}
	return allocate(f.f, off, n)
}

func (f *osFile) Writeback(off, n int64) error {
	if off < 0 || n < 0 {
		return &fs.PathError{Op: "writeback", Path: f.Name(), Err: syscall.EINVAL}
	}
	return writeback(f.f, off, n)
}

func (f *osFile) Sync() error { return f.f.Sync() }

func (f *osFile) Datasync() error { return datasync(f.f) }

func (f *osFile) Lock() error {
	if f.held.Load() {
		return nil
	}
	if err := lockFile(f.f); err != nil {
		return err
	}
	f.held.Store(true)
	return nil
}

func (f *osFile) Locked() (bool, error) {
	if f.held.Load() {
		return false, nil
	}
	return fileLocked(f.f)
}
