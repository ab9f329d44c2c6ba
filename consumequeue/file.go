package consumequeue

import (
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// errGone: the file left its queue between finding it and opening it.
var errGone = errors.New("queue file is gone")

// file is one file of a queue, open or not.
type file struct {
	q       *Queue
	start   int64      // byte position of its first byte among the queue's files
	ext     bool       // it holds ext units
	opening sync.Mutex // one open at a time; a disk that hangs in one holds up no other file
	open    atomic.Pointer[handle]
	dirty   atomic.Bool // it stands in the store's list of files to sync
	gone    atomic.Bool // it has left the queue
}

func (q *Queue) newFile(start int64, ext bool) *file {
	return &file{q: q, start: start, ext: ext}
}

func (f *file) path() string { return filepath.Join(f.dir(), mapped.Name(f.start)) }

func (f *file) dir() string {
	if f.ext {
		return f.q.extDir()
	}
	return f.q.dir()
}

func (f *file) size() int64 {
	if f.ext {
		return f.q.store.o.ExtFileSize
	}
	return f.q.fileSize()
}

// fileSet is the immutable list of a queue's files; they follow each other
// without a gap.
type fileSet struct{ files []*file }

func (s *fileSet) empty() bool { return s == nil || len(s.files) == 0 }

// find returns the file that holds the byte position, nil if none.
func (s *fileSet) find(pos, size int64) *file {
	if s.empty() || pos < s.files[0].start {
		return nil
	}
	if i := (pos - s.files[0].start) / size; i < int64(len(s.files)) {
		return s.files[i]
	}
	return nil
}

// handle is an open file. The pool holds one reference, each user another; the
// last one closes it, so nothing is unmapped under a reader.
type handle struct {
	f    *file
	io   mapped.File
	refs atomic.Int32
	used atomic.Bool // since the pool's clock last came by
	slot int         // in the pool's ring, -1 = not there

	view   atomic.Pointer[[]byte] // nil slice: cannot be mapped, read with ReadAt
	mu     sync.Mutex             // maps once
	region mapped.Region
}

func (h *handle) acquire() bool {
	for {
		n := h.refs.Load()
		if n == 0 {
			return false
		}
		if h.refs.CompareAndSwap(n, n+1) {
			if !h.used.Load() {
				h.used.Store(true)
			}
			return true
		}
	}
}

func (h *handle) release() {
	if h.refs.Add(-1) > 0 {
		return
	}
	// Nobody can reach it any more. Errors of closing a file that is read, or
	// whose writes are synced through a later open, change nothing.
	if h.region != nil {
		h.region.Unmap()
	}
	h.io.Close()
}

// bytes is the mapped file, nil if it cannot be mapped. Touch it under Guard.
func (h *handle) bytes(p *pool) []byte {
	if v := h.view.Load(); v != nil {
		return *v
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if v := h.view.Load(); v != nil {
		return *v
	}
	var b []byte
	region, err := h.io.Map(0, h.f.size(), false)
	if err != nil {
		// Too many maps, perhaps: give half of them back and try once more.
		p.shed()
		region, err = h.io.Map(0, h.f.size(), false)
	}
	if err == nil {
		h.region, b = region, region.Bytes()
	} else {
		p.unmapped.Add(1)
	}
	h.view.Store(&b)
	return b
}
