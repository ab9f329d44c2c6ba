package mappedtest

import (
	"maps"
	"sync"
	"syscall"
	"time"
)

// PageSize is the unit in which bytes become durable, TearSize the unit in
// which a page can be torn by a power cut.
const (
	PageSize = 4096
	TearSize = 512
)

// page is never changed once it is in a map, so that images may share it.
type page [PageSize]byte

var zeros page

// node is a file or a directory, apart from its names.
type node struct {
	isDir   bool
	entries map[string]*node // of a directory, live
	durable map[string]*node // of a directory, after a power cut

	mu       sync.RWMutex // guards what follows, of a file
	loaded   bool         // live is there; else it equals disk
	live     []byte       // bytes between len and cap are zero
	disk     map[int64]*page
	diskSize int64
	lost     map[int64]*page    // bytes that a failed sync let go
	stuck    map[int64]struct{} // lost ones that no later sync writes
	touched  map[int64]struct{} // written through a file since the last sync
	stored   bool               // may have been written through a mapping
	cut      int64              // lowest length since the last sync, -1 if never cut
	holder   *file              // of the lock
	modTime  time.Time
	space    space // pages that take room on the disk
	links    int   // live names
	opens    int   // open files and regions
	maps     int   // regions
	wmaps    int   // writable regions
}

func newFile(now time.Time) *node {
	return &node{
		loaded: true, cut: -1, modTime: now,
		disk: map[int64]*page{}, lost: map[int64]*page{}, stuck: map[int64]struct{}{}, touched: map[int64]struct{}{},
	}
}

func newDir(now time.Time) *node {
	return &node{isDir: true, entries: map[string]*node{}, durable: map[string]*node{}, modTime: now}
}

// load brings the bytes of an image's file into memory, at its first open.
func (n *node) load() {
	if n.loaded {
		return
	}
	n.loaded = true
	n.live = make([]byte, n.diskSize)
	for p, b := range n.disk {
		if off := p * PageSize; off < n.diskSize {
			copy(n.live[off:], b[:])
		}
	}
}

func (n *node) size() int64 {
	if !n.loaded {
		return n.diskSize
	}
	return int64(len(n.live))
}

// resize sets the length. A mapped file cannot move, so it cannot outgrow what
// it was allocated with.
func (n *node) resize(size int64) error {
	old := int64(len(n.live))
	switch {
	case size < old:
		wipe(n.live[size:])
		n.live = n.live[:size]
		if n.cut < 0 || size < n.cut {
			n.cut = size
		}
		n.space.freeFrom(pageCount(size))
		maps.DeleteFunc(n.stuck, func(p int64, _ struct{}) bool { return p >= pageCount(size) })
		n.touch(size, old-size)
	case size <= int64(cap(n.live)):
		n.live = n.live[:size]
	case n.maps > 0:
		return syscall.EBUSY
	default:
		room := size
		if old > 0 {
			room = max(size, min(2*old, old+1<<20)) // files that grow by writes
		}
		live := make([]byte, size, room)
		copy(live, n.live)
		n.live = live
	}
	return nil
}

// touch notes that the file, not a mapping, wrote [off, off+n).
func (n *node) touch(off, count int64) {
	for p := off / PageSize; p < pageCount(off+count); p++ {
		n.touched[p] = struct{}{}
		delete(n.lost, p)
	}
}

// pageCount is the number of pages that n bytes need.
func pageCount(n int64) int64 { return (n + PageSize - 1) / PageSize }

// view is the live part of page p, shorter at the end of the file.
func (n *node) view(p int64) []byte {
	from, size := p*PageSize, int64(len(n.live))
	if from >= size {
		return nil
	}
	return n.live[from:min(from+PageSize, size)]
}

// snapshot copies the live bytes of page p, zeros behind the end.
func (n *node) snapshot(p int64) *page {
	b := new(page)
	peek(b[:], n.view(p))
	return b
}

// shows tells whether page p is, live, what b is (nil: zeros).
func (n *node) shows(p int64, b *page) bool {
	if b == nil {
		b = &zeros
	}
	v := n.view(p)
	return same(v, b[:len(v)]) && same(b[len(v):], zeros[len(v):])
}
