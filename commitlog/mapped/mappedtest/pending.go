package mappedtest

import "slices"

// change is a creation, a renaming or a removal that a power cut may undo.
type change struct {
	target  *node
	oldDir  *node // nil: creation
	oldName string
	newDir  *node // nil: removal
	newName string
}

// apply does the change to the entries that pick gives for a directory.
func (c *change) apply(pick func(*node) map[string]*node) {
	if c.oldDir != nil {
		if m := pick(c.oldDir); m[c.oldName] == c.target {
			delete(m, c.oldName)
		}
	}
	if c.newDir != nil {
		pick(c.newDir)[c.newName] = c.target
	}
}

func (c *change) in(dir *node) bool { return c.oldDir == dir || c.newDir == dir }

// meets tells whether both changes are about one file or one name, so that the
// later one cannot be durable without the earlier.
func (c *change) meets(o *change) bool {
	hit := func(dir *node, name string) bool {
		return dir != nil && (dir == o.oldDir && name == o.oldName || dir == o.newDir && name == o.newName)
	}
	return c.target == o.target || hit(c.oldDir, c.oldName) || hit(c.newDir, c.newName)
}

// choose gives the places of the pending changes that want names and of the
// earlier ones that those need, from the newest to the oldest.
func (f *FS) choose(want func(*change) bool) []int {
	var chosen []int
	for i := len(f.pending) - 1; i >= 0; i-- {
		c := &f.pending[i]
		if want(c) || slices.ContainsFunc(chosen, func(j int) bool { return f.pending[j].meets(c) }) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}

// commit makes pending changes durable.
func (f *FS) commit(want func(*change) bool) {
	chosen := f.choose(want)
	if len(chosen) == 0 {
		return
	}
	rest := make([]change, 0, len(f.pending)-len(chosen))
	for i := range f.pending {
		if n := len(chosen); n > 0 && chosen[n-1] == i {
			f.pending[i].apply(func(d *node) map[string]*node { return d.durable })
			chosen = chosen[:n-1]
		} else {
			rest = append(rest, f.pending[i])
		}
	}
	f.pending = rest
}
