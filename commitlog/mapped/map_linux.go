package mapped

import (
	"io/fs"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// noPopulate is set once the kernel (before 5.14) has refused MADV_POPULATE.
var noPopulate atomic.Bool

func (r *osRegion) Flush(off, n int64) error {
	b, err := r.pages("msync", off, n)
	if err != nil || len(b) == 0 {
		return err
	}
	return r.call("msync", func() error { return unix.Msync(b, unix.MS_SYNC) })
}

func (r *osRegion) Populate(off, n int64, write bool) error {
	b, err := r.pages("madvise", off, n)
	if err != nil || len(b) == 0 {
		return err
	}
	advice := unix.MADV_POPULATE_READ
	if write && r.writable {
		advice = unix.MADV_POPULATE_WRITE
	}
	if !noPopulate.Load() {
		err := unix.Madvise(b, advice)
		if err == nil {
			return nil
		}
		if err != unix.EINVAL {
			return &fs.PathError{Op: "madvise", Path: r.f.Name(), Err: err}
		}
		noPopulate.Store(true)
	}
	return r.call("madvise", func() error { return unix.Madvise(b, unix.MADV_WILLNEED) })
}

func (r *osRegion) Random() error {
	return r.call("madvise", func() error { return unix.Madvise(r.bytes, unix.MADV_RANDOM) })
}

// call makes a call again that a signal broke off and names it in its error.
func (r *osRegion) call(op string, fn func() error) error {
	for {
		switch err := fn(); err {
		case nil:
			return nil
		case unix.EINTR:
		default:
			return &fs.PathError{Op: op, Path: r.f.Name(), Err: err}
		}
	}
}
