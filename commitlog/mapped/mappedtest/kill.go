package mappedtest

import (
	"maps"
	"slices"
)

// Kill is the file system after the process died and the machine went on: all
// that was written is there, what was not synced is still not durable, locks
// and open files are gone.
func (f *FS) Kill() *FS { return f.clone(false) }

// DropCaches is Kill followed by the kernel's forgetting of clean pages: what a
// failed sync let go shows the durable bytes again.
func (f *FS) DropCaches() *FS { return f.clone(true) }

func (f *FS) clone(drop bool) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.moment.Lock()
	defer f.moment.Unlock()
	to := &FS{disk: f.disk.clone()}
	to.clock.Store(f.clock.Load())
	done := map[*node]*node{}
	var copied func(*node) *node
	entries := func(m map[string]*node) map[string]*node {
		out := make(map[string]*node, len(m))
		// What is derived before the log: it is written later.
		for _, name := range slices.Backward(slices.Sorted(maps.Keys(m))) {
			out[name] = copied(m[name])
		}
		return out
	}
	copied = func(old *node) *node {
		if n := done[old]; n != nil {
			return n
		}
		if !old.isDir {
			done[old] = old.clone(to.disk, drop)
			return done[old]
		}
		n := newDir(old.modTime)
		n.links = old.links
		done[old] = n
		n.entries, n.durable = entries(old.entries), entries(old.durable)
		return n
	}
	to.root = copied(f.root)
	for _, c := range f.pending {
		c.target = copied(c.target)
		if c.oldDir != nil {
			c.oldDir = copied(c.oldDir)
		}
		if c.newDir != nil {
			c.newDir = copied(c.newDir)
		}
		to.pending = append(to.pending, c)
	}
	return to
}

// settled copies bytes that others may store into through a mapping. A process that
// dies stops at one moment: two equal copies in a row are what stood there between
// them. It ends, for a writer that comes to the end of its mapping makes a call, and
// that waits.
func settled(src []byte) []byte {
	b := make([]byte, len(src))
	for peek(b, src); !same(b, src); peek(b, src) {
	}
	return b
}

// clone copies a file with its unsynced state.
func (old *node) clone(d *disk, drop bool) *node {
	old.mu.Lock()
	defer old.mu.Unlock()
	old.dirty(0, allPages) // settles which pages are lost
	n := newFile(old.modTime)
	n.loaded, n.diskSize, n.cut, n.links = old.loaded, old.diskSize, old.cut, old.links
	maps.Copy(n.disk, old.disk)
	maps.Copy(n.touched, old.touched)
	if !drop {
		maps.Copy(n.stuck, old.stuck)
	}
	n.stored = old.stored
	if old.links > 0 {
		n.space = old.space.cloneTo(d)
	} else {
		n.space.disk = d // only the name of a removed file can come back
	}
	if !old.loaded {
		return n
	}
	n.live = settled(old.live)
	for p, b := range old.lost {
		switch now := old.view(p); {
		case !same(now, b[:len(now)]): // written again
		case drop:
			var disk page
			if b := n.disk[p]; b != nil {
				disk = *b
			}
			copy(n.view(p), disk[:])
		default:
			n.lost[p] = b
		}
	}
	return n
}
