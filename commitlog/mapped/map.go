package mapped

import (
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"

	"github.com/edsrzf/mmap-go"
)

// pageSize is the unit that Flush and Populate round to.
var pageSize = int64(os.Getpagesize())

// osRegion is a mapped range of an osFile.
type osRegion struct {
	bytes    []byte
	f        *os.File
	off      int64 // in f
	writable bool
	gone     atomic.Bool // unmapped
}

// Map refuses a range beyond the end of the file: touching it would fault.
func (f *osFile) Map(off, n int64, writable bool) (Region, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	if off < 0 || n <= 0 || off%pageSize != 0 || off > size-n || int64(int(n)) != n {
		return nil, &fs.PathError{Op: "mmap", Path: f.Name(), Err: syscall.EINVAL}
	}
	prot := mmap.RDONLY
	if writable {
		prot = mmap.RDWR
	}
	m, err := mmap.MapRegion(f.f, int(n), prot, 0, off)
	if err != nil {
		return nil, &fs.PathError{Op: "mmap", Path: f.Name(), Err: err}
	}
	r := &osRegion{bytes: m, f: f.f, off: off, writable: writable}
	known.add(r.bytes, f.Name(), off)
	return r, nil
}

func (r *osRegion) Bytes() []byte { return r.bytes }

func (r *osRegion) Unmap() error {
	if r.gone.Swap(true) {
		return &fs.PathError{Op: "munmap", Path: r.f.Name(), Err: fs.ErrClosed}
	}
	known.remove(r.bytes)
	m := mmap.MMap(r.bytes)
	if err := m.Unmap(); err != nil {
		return &fs.PathError{Op: "munmap", Path: r.f.Name(), Err: err}
	}
	return nil
}

// pages cuts the range out of the mapping, widened to whole pages.
func (r *osRegion) pages(op string, off, n int64) ([]byte, error) {
	size := int64(len(r.bytes))
	if r.gone.Load() {
		return nil, &fs.PathError{Op: op, Path: r.f.Name(), Err: fs.ErrClosed}
	}
	if off < 0 || n < 0 || off > size-n {
		return nil, &fs.PathError{Op: op, Path: r.f.Name(), Err: syscall.EINVAL}
	}
	if n == 0 {
		return nil, nil
	}
	end := min((off+n+pageSize-1)&^(pageSize-1), size)
	return r.bytes[off&^(pageSize-1) : end], nil
}
