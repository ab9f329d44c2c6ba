//go:build !linux

package mapped

import (
	"io/fs"

	"github.com/edsrzf/mmap-go"
)

// Flush writes the whole mapping and then asks the drive to keep it.
func (r *osRegion) Flush(off, n int64) error {
	b, err := r.pages("msync", off, n)
	if err != nil || len(b) == 0 || !r.writable {
		return err
	}
	if err := mmap.MMap(r.bytes).Flush(); err != nil {
		return &fs.PathError{Op: "msync", Path: r.f.Name(), Err: err}
	}
	return r.f.Sync()
}

func (r *osRegion) Populate(off, n int64, write bool) error {
	_, err := r.pages("madvise", off, n)
	return err
}

func (r *osRegion) Random() error { return nil }

func (r *osRegion) Unwritten(off, n int64) (int64, error) {
	_, err := r.pages("fiemap", off, n)
	return -1, err
}

func (r *osRegion) Drop(off, n int64) (int64, error) {
	_, err := r.pages("madvise", off, n)
	return -1, err
}
