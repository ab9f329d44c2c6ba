package mappedtest

import (
	"io/fs"
	"os"
	"syscall"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// region is a part of the live bytes of a node.
type region struct {
	f        *file
	off      int64
	bytes    []byte
	writable bool
}

func (f *file) Map(off, n int64, writable bool) (mapped.Region, error) {
	if err := f.begin("mmap", f.read && (f.write || !writable), syscall.EACCES); err != nil {
		return nil, err
	}
	defer f.end()
	if off < 0 || n <= 0 || off%int64(os.Getpagesize()) != 0 || off > f.n.size()-n {
		return nil, fail("mmap", f.name, syscall.EINVAL)
	}
	f.n.opens++
	f.fs.regions.Add(1)
	f.n.maps++
	if writable {
		f.n.wmaps++
		f.n.stored = true
	}
	return &region{f: f, off: off, bytes: f.n.live[off : off+n : off+n], writable: writable}, nil
}

func (r *region) Bytes() []byte { return r.bytes }

func (r *region) Unmap() error {
	n := r.f.n
	n.mu.Lock()
	defer n.mu.Unlock()
	if r.bytes == nil {
		return fail("munmap", r.f.name, fs.ErrClosed)
	}
	r.bytes = nil
	n.opens--
	r.f.fs.regions.Add(-1)
	n.maps--
	if r.writable {
		n.wmaps--
	}
	n.release()
	return nil
}

// begin locks the node for a call on [off, off+n) of the region.
func (r *region) begin(op string, off, n int64) error {
	r.f.fs.moment.RLock()
	r.f.n.mu.Lock()
	switch {
	case r.bytes == nil:
		r.f.end()
		return fail(op, r.f.name, fs.ErrClosed)
	case off < 0 || n < 0 || off > int64(len(r.bytes))-n:
		r.f.end()
		return fail(op, r.f.name, syscall.EINVAL)
	}
	return nil
}

// pages turns a range of the region into pages of the file.
func (r *region) pages(off, n int64) (from, to int64) {
	return (r.off + off) / PageSize, pageCount(r.off + off + n)
}

func (r *region) Flush(off, n int64) error {
	if err := r.begin("msync", off, n); err != nil {
		return err
	}
	defer r.f.end()
	if n > 0 {
		r.f.n.flush(r.pages(off, n))
	}
	return nil
}

// failFlush is a Flush that the disk refuses.
func (r *region) failFlush(off, n int64, landed int) {
	if r.begin("msync", off, n) != nil {
		return
	}
	defer r.f.end()
	if n > 0 {
		from, to := r.pages(off, n)
		r.f.n.fail(from, to, landed)
	}
}

func (r *region) Populate(off, n int64, write bool) error {
	if err := r.begin("madvise", off, n); err != nil {
		return err
	}
	defer r.f.end()
	return nil
}

func (r *region) Random() error { return r.Populate(0, 0, false) }

// Unwritten knows only of places that a failed sync has left so.
func (r *region) Unwritten(off, n int64) (int64, error) {
	if err := r.begin("fiemap", off, n); err != nil {
		return -1, err
	}
	defer r.f.end()
	from, to := r.pages(off, n)
	return r.position(r.f.n.firstStuck(from, to), off), nil
}

func (r *region) Drop(off, n int64) (int64, error) {
	if err := r.begin("madvise", off, n); err != nil {
		return -1, err
	}
	defer r.f.end()
	from, to := r.pages(off, n)
	if !r.f.fs.pinned.Load() {
		r.f.n.drop(from, to)
	}
	return r.position(r.f.n.firstStuck(from, to), off), nil
}

// position turns a page of the file into one of the region, -1 for none.
func (r *region) position(p, off int64) int64 {
	if p < 0 {
		return -1
	}
	return max(p*PageSize-r.off, off)
}
