package consumequeue

import (
	"errors"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// pool bounds how many files are open and mapped; the least recently used one
// is found by a clock.
type pool struct {
	fs       mapped.FS
	limit    int
	flag     int // of OpenFile
	unmapped atomic.Int64

	mu     sync.Mutex
	ring   []*handle
	hand   int
	closed bool
}

func newPool(o *Options) *pool {
	p := &pool{fs: o.FS, limit: o.MaxOpenFiles, flag: os.O_RDWR}
	if o.ReadOnly {
		p.flag = os.O_RDONLY
	}
	return p
}

// acquire opens f if need be and returns it with a reference to release.
func (p *pool) acquire(f *file) (*handle, error) {
	if h := f.open.Load(); h != nil && h.acquire() {
		return h, nil
	}
	return p.acquireSlow(f)
}

func (p *pool) acquireSlow(f *file) (*handle, error) {
	f.opening.Lock()
	defer f.opening.Unlock()
	if f.gone.Load() {
		return nil, errGone
	}
	if h := f.open.Load(); h != nil && h.acquire() {
		return h, nil
	}
	path := f.path()
	opened, err := p.fs.OpenFile(path, p.flag, 0o644)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		// Too many descriptors, perhaps: give half of them back.
		p.shed()
		opened, err = p.fs.OpenFile(path, p.flag, 0o644)
	}
	if err != nil {
		return nil, err
	}
	return p.put(f, opened)
}

// adopt takes over a file that its maker has open.
func (p *pool) adopt(f *file, opened mapped.File) (*handle, error) {
	f.opening.Lock()
	defer f.opening.Unlock()
	return p.put(f, opened)
}

// put makes the handle of f, with one reference for the pool and one for the
// caller; f.opening is held. One that is read once goes before those that are used
// again.
func (p *pool) put(f *file, opened mapped.File) (*handle, error) {
	h := &handle{f: f, io: opened}
	h.refs.Store(2)
	p.mu.Lock()
	if p.closed {
		p.mu.Unlock()
		opened.Close()
		return nil, ErrClosed
	}
	victims := p.evict(len(p.ring) + 1 - p.limit)
	h.slot = len(p.ring)
	p.ring = append(p.ring, h)
	f.open.Store(h)
	p.mu.Unlock()
	for _, v := range victims {
		v.release()
	}
	return h, nil
}

// evict takes n handles out of the ring; the caller releases them after p.mu.
func (p *pool) evict(n int) (victims []*handle) {
	for ; n > 0 && len(p.ring) > 0; n-- {
		var h *handle
		for range 2*len(p.ring) + 1 {
			p.hand = (p.hand + 1) % len(p.ring)
			h = p.ring[p.hand]
			if !h.used.Swap(false) && h.refs.Load() == 1 {
				break
			}
		}
		p.take(h)
		victims = append(victims, h)
	}
	return victims
}

// take removes h from the ring and from its file; p.mu is held.
func (p *pool) take(h *handle) {
	last := len(p.ring) - 1
	p.ring[h.slot] = p.ring[last]
	p.ring[h.slot].slot = h.slot
	p.ring[last] = nil
	p.ring = p.ring[:last]
	h.slot = -1
	h.f.open.CompareAndSwap(h, nil)
}

// shed gives back half of what is open.
func (p *pool) shed() {
	p.mu.Lock()
	victims := p.evict((len(p.ring) + 1) / 2)
	p.mu.Unlock()
	for _, v := range victims {
		v.release()
	}
}

// retire ends the life of a file: who holds it may go on, nobody gets it anew.
func (p *pool) retire(f *file) {
	f.opening.Lock()
	f.gone.Store(true)
	h := f.open.Load()
	f.opening.Unlock()
	if h == nil {
		return
	}
	p.mu.Lock()
	held := h.slot >= 0
	if held {
		p.take(h)
	}
	p.mu.Unlock()
	if held {
		h.release()
	}
}

func (p *pool) close() {
	p.mu.Lock()
	p.closed = true
	victims := p.evict(len(p.ring))
	p.mu.Unlock()
	for _, v := range victims {
		v.release()
	}
}
