package mappedtest

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Crash is what a power cut at this moment would leave; the file system itself
// goes on. It may be called while others write: it comes between two of their calls,
// and a byte that is being written through a mapping counts as old or new.
func (f *FS) Crash(seed uint64, mode Mode) *FS {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.moment.Lock()
	defer f.moment.Unlock()
	c := &cut{mode: mode, rng: rand.New(rand.NewPCG(seed, uint64(mode))), names: map[*node]map[string]*node{}}
	c.chance = []float64{0.1, 0.5, 0.9}[c.rng.IntN(3)]
	for _, i := range slices.Backward(f.choose(func(*change) bool { return c.keeps() })) {
		f.pending[i].apply(c.entries)
	}
	c.to = &FS{disk: f.disk.clone()}
	c.to.disk.cuts++
	c.to.clock.Store(f.clock.Load())
	c.to.root = c.dir(f.root)
	return c.to
}

// cut is a power cut being worked out.
type cut struct {
	mode   Mode
	rng    *rand.Rand
	chance float64 // that an unsynced thing survives, under Random
	names  map[*node]map[string]*node
	to     *FS
}

// entries is what the cut leaves of a directory's durable names.
func (c *cut) entries(dir *node) map[string]*node {
	if c.names[dir] == nil {
		c.names[dir] = maps.Clone(dir.durable)
	}
	return c.names[dir]
}

// keeps decides over a name or a length.
func (c *cut) keeps() bool {
	switch c.mode {
	case Random:
		return c.rng.Float64() < c.chance
	case Nothing:
		return false
	}
	return true
}

// dir makes the image of a directory.
func (c *cut) dir(old *node) *node {
	d := newDir(old.modTime)
	entries := c.entries(old)
	names := slices.Sorted(maps.Keys(entries))
	last := c.lastDirty(entries, names)
	for _, name := range names {
		n := entries[name]
		if n.isDir {
			d.entries[name] = c.dir(n)
		} else {
			d.entries[name] = c.file(n, name == last)
		}
		d.entries[name].links++
	}
	d.durable = maps.Clone(d.entries)
	return d
}

// lastDirty is the last file with an unsynced page.
func (c *cut) lastDirty(entries map[string]*node, names []string) string {
	if c.mode != LastFile {
		return ""
	}
	for _, name := range slices.Backward(names) {
		if n := entries[name]; !n.isDir {
			n.mu.Lock()
			list := n.dirty(0, allPages)
			n.mu.Unlock()
			if len(list) > 0 {
				return name
			}
		}
	}
	return ""
}

// file makes the image of a file.
func (c *cut) file(old *node, lastOfDir bool) *node {
	old.mu.Lock()
	defer old.mu.Unlock()
	n := newFile(old.modTime)
	n.loaded = false
	n.diskSize = old.diskSize
	maps.Copy(n.disk, old.disk)
	n.space = old.space.cloneTo(c.to.disk)
	to := allPages
	if old.cut >= 0 {
		if c.keeps() {
			n.cutTo(old.cut)
		} else {
			to = old.cut / PageSize // what was written behind the cut went with it
		}
	}
	if to == allPages && old.size() != n.diskSize && c.keeps() {
		n.diskSize = old.size()
	}
	list := old.dirty(0, to)
	for i, p := range list {
		if _, stuck := old.stuck[p]; stuck {
			continue
		}
		if b := c.page(old, n.disk[p], p, i, len(list), lastOfDir); b != nil {
			n.disk[p] = b
		}
	}
	n.erase(n.diskSize)
	return n
}

// page is what page p, the i-th of the dirty ones, becomes; nil: stays.
func (c *cut) page(old *node, was *page, p int64, i, count int, lastOfDir bool) *page {
	keep := true
	switch c.mode {
	case Random:
		if r := c.rng.Float64(); r < 0.15 {
			return c.torn(old, was, p)
		}
		keep = c.rng.Float64() < c.chance
	case Nothing:
		keep = false
	case LastPage:
		keep = i == count-1
	case FirstPage:
		keep = i == 0
	case AllButFirst:
		keep = i > 0
	case LastFile:
		keep = lastOfDir
	case TornPages:
		return c.torn(old, was, p)
	}
	if !keep {
		return nil
	}
	return old.snapshot(p)
}

// torn mixes the old and the new page by units of TearSize.
func (c *cut) torn(old *node, was *page, p int64) *page {
	b := old.snapshot(p)
	if was == nil {
		was = &zeros
	}
	for from := 0; from < PageSize; from += TearSize {
		if c.rng.IntN(2) == 0 {
			copy(b[from:from+TearSize], was[from:from+TearSize])
		}
	}
	return b
}
