package mappedtest

import "slices"

// dirty lists in order the pages in [from, to) that a sync would write.
func (n *node) dirty(from, to int64) []int64 {
	if !n.loaded {
		return nil
	}
	var list []int64
	check := func(p int64) {
		if n.shows(p, n.disk[p]) {
			delete(n.lost, p) // back to what the disk has
			return
		}
		if b := n.lost[p]; b != nil && n.shows(p, b) {
			return
		}
		list = append(list, p)
	}
	if n.stored {
		for p := from; p < min(to, pageCount(max(n.size(), n.diskSize))); p++ {
			check(p)
		}
		return list
	}
	for p := range n.touched {
		if p >= from && p < to {
			check(p)
		}
	}
	slices.Sort(list)
	return list
}

const allPages = int64(1) << 51

// sync makes the file durable but for its name.
func (n *node) sync() {
	if !n.loaded {
		return
	}
	n.write(n.dirty(0, allPages))
	n.diskSize, n.cut = n.size(), -1
	clear(n.touched)
	n.stored = n.wmaps > 0
}

// flush makes the pages in [from, to) durable, an earlier cut, and the length so
// far that the pages can be read again.
func (n *node) flush(from, to int64) {
	if !n.loaded {
		return
	}
	if n.cut >= 0 {
		n.cutTo(n.cut)
		n.cut = -1
	}
	n.write(n.dirty(from, to))
	n.diskSize = max(n.diskSize, min(n.size(), to*PageSize))
}

func (n *node) write(pages []int64) {
	for _, p := range pages {
		if _, stuck := n.stuck[p]; stuck {
			n.lost[p] = n.snapshot(p) // the kernel has written it, and it cannot be read back
			continue
		}
		delete(n.lost, p)
		if b := n.snapshot(p); *b == zeros {
			delete(n.disk, p)
		} else {
			n.disk[p] = b
		}
	}
}

// fail is a sync of [from, to) that could not write: the first landed of the
// dirty pages reach the disk, the others are clean for the kernel all the same.
func (n *node) fail(from, to int64, landed int) {
	list := n.dirty(from, to)
	landed = min(max(landed, 0), len(list))
	n.write(list[:landed])
	for _, p := range list[landed:] {
		n.lost[p] = n.snapshot(p)
		if n.disk[p] == nil && n.space.disk.isSticky() {
			n.stuck[p] = struct{}{}
		}
	}
	for _, p := range list {
		delete(n.touched, p)
	}
}

// cutTo makes a cut durable.
func (n *node) cutTo(size int64) {
	n.diskSize = min(n.diskSize, size)
	n.erase(size)
}

// erase zeroes what the disk has from position at on.
func (n *node) erase(at int64) {
	for p, b := range n.disk {
		switch from := p * PageSize; {
		case from >= at:
			delete(n.disk, p)
		case from+PageSize > at:
			short := *b
			clear(short[at-from:])
			n.disk[p] = &short
		}
	}
}

// firstStuck is the first page of [from, to) that no sync makes durable, -1.
func (n *node) firstStuck(from, to int64) int64 {
	first := int64(-1)
	for p := range n.stuck {
		if p >= from && p < to && (first < 0 || p < first) {
			first = p
		}
	}
	return first
}

// drop takes clean pages of [from, to) out of memory: they show what the disk has.
func (n *node) drop(from, to int64) {
	for p, b := range n.lost {
		if p >= from && p < to && n.shows(p, b) {
			v := n.view(p)
			wipe(v)
			if old := n.disk[p]; old != nil {
				peek(v, old[:])
			}
			delete(n.lost, p)
			delete(n.stuck, p)
		}
	}
}
