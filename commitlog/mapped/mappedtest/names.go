package mappedtest

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Stat describes a file or directory.
func (f *FS) Stat(name string) (fs.FileInfo, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup("lstat", name)
	if err != nil {
		return nil, err
	}
	return n.info(filepath.Base(name)), nil
}

// Rename replaces newName in one step, durable after SyncDir of its directory.
func (f *FS) Rename(oldName, newName string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	fail := func(err error) error {
		return &os.LinkError{Op: "rename", Old: oldName, New: newName, Err: err}
	}
	oldDir, oldBase, err := f.parent(oldName)
	if err != nil {
		return fail(err)
	}
	newDir, newBase, err := f.parent(newName)
	if err != nil {
		return fail(err)
	}
	n, over := oldDir.entries[oldBase], newDir.entries[newBase]
	switch {
	case n == nil:
		return fail(syscall.ENOENT)
	case n == over:
		return nil
	case over != nil && over.isDir:
		return fail(syscall.EEXIST)
	case over != nil && n.isDir:
		return fail(syscall.ENOTDIR)
	case n.isDir && inside(n, newDir):
		return fail(syscall.EINVAL)
	}
	f.record(change{target: n, oldDir: oldDir, oldName: oldBase, newDir: newDir, newName: newBase})
	return nil
}

// inside tells whether dir is n or below it.
func inside(n, dir *node) bool {
	if n == dir {
		return true
	}
	for _, e := range n.entries {
		if e.isDir && inside(e, dir) {
			return true
		}
	}
	return false
}

// Remove removes a file or an empty directory, durable after SyncDir.
func (f *FS) Remove(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir, base, err := f.parent(name)
	if err != nil {
		return fail("remove", name, err)
	}
	n := dir.entries[base]
	switch {
	case n == nil:
		return fail("remove", name, syscall.ENOENT)
	case n.isDir && len(n.entries) > 0:
		return fail("remove", name, syscall.ENOTEMPTY)
	}
	f.record(change{target: n, oldDir: dir, oldName: base})
	return nil
}

// SyncDir makes every change of the directory's entries durable.
func (f *FS) SyncDir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir, err := f.lookup("open", name)
	if err != nil {
		return err
	}
	if !dir.isDir {
		return fail("sync", name, syscall.ENOTDIR)
	}
	f.commit(func(c *change) bool { return c.in(dir) })
	return nil
}

// SyncFS makes all files and all names durable.
func (f *FS) SyncFS(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.lookup("open", name); err != nil {
		return err
	}
	f.commit(func(*change) bool { return true })
	f.each(func(n *node) { n.sync() })
	return nil
}

// failSyncFS is SyncFS when the disk refuses: every dirty page is let go.
func (f *FS) failSyncFS(landed int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.each(func(n *node) { n.fail(0, allPages, landed) })
}

// each visits every live file.
func (f *FS) each(visit func(*node)) {
	var walk func(*node)
	walk = func(dir *node) {
		for _, n := range dir.entries {
			if n.isDir {
				walk(n)
				continue
			}
			n.mu.Lock()
			visit(n)
			n.mu.Unlock()
		}
	}
	walk(f.root)
}

// DiskUsage tells what SetCapacity and the allocated pages make of the disk.
func (f *FS) DiskUsage(name string) (mapped.DiskUsage, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, err := f.lookup("statfs", name); err != nil {
		return mapped.DiskUsage{}, err
	}
	return f.disk.usage(), nil
}

// info is a node under one of its names at one moment.
type info struct {
	name    string
	size    int64
	dir     bool
	modTime time.Time
}

func (n *node) info(name string) info {
	n.mu.RLock()
	defer n.mu.RUnlock()
	return info{name: name, size: n.size(), dir: n.isDir, modTime: n.modTime}
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) IsDir() bool        { return i.dir }
func (i info) ModTime() time.Time { return i.modTime }
func (i info) Sys() any           { return nil }
func (i info) Mode() fs.FileMode {
	if i.dir {
		return fs.ModeDir | 0o755
	}
	return 0o644
}
