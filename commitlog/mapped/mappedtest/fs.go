package mappedtest

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// nameMax is how many bytes a step of a path may have, as on the disks that a
// store is found on.
const nameMax = 255

// FS is a file system in memory. The zero value is of no use; see NewFS.
type FS struct {
	mu sync.Mutex // guards names and pending
	// moment is held for writing while all files are copied: what one call has written,
	// or made durable, before another one is never in the copy without it.
	moment  sync.RWMutex
	root    *node
	pending []change // in the order they were made
	disk    *disk
	clock   atomic.Pointer[func() time.Time]
	files   atomic.Int64 // open
	regions atomic.Int64 // mapped
	pinned  atomic.Bool
}

// NewFS returns an empty file system of 1 TiB with only its root directory.
func NewFS() *FS {
	f := &FS{disk: &disk{total: 1 << 40}, root: newDir(time.Time{})}
	f.SetClock(time.Now)
	return f
}

// SetClock sets where modification times come from; time.Now at first.
func (f *FS) SetClock(now func() time.Time) { f.clock.Store(&now) }

func (f *FS) now() time.Time { return (*f.clock.Load())() }

// SetCapacity sets the size of the disk in bytes; it may be less than is used.
func (f *FS) SetCapacity(total int64) {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.total = total
}

// SetSticky makes the disk one of ext4: pages whose place on the disk was never
// written and where a sync has failed are not made durable by any later sync
// either, for as long as they are in memory.
func (f *FS) SetSticky() {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.sticky = true
}

// SetPinned keeps pages in memory, as another process does that maps them: Drop
// drops none.
func (f *FS) SetPinned(on bool) { f.pinned.Store(on) }

// Remount makes Mounted another number.
func (f *FS) Remount() {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	f.disk.cuts++
}

// Mounted is another number after each Crash.
func (f *FS) Mounted(string) uint32 {
	f.disk.mu.Lock()
	defer f.disk.mu.Unlock()
	return 1 + f.disk.cuts
}

// OpenFiles counts the files that are open now, for a test of leaks.
func (f *FS) OpenFiles() int { return int(f.files.Load()) }

// Mappings counts the regions that are mapped now.
func (f *FS) Mappings() int { return int(f.regions.Load()) }

// SetModTime sets a file's modification time.
func (f *FS) SetModTime(name string, t time.Time) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup("chtimes", name)
	if err != nil {
		return err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.modTime = t
	return nil
}

func fail(op, name string, err error) error { return &fs.PathError{Op: op, Path: name, Err: err} }

// split cuts a name into its steps from the root.
func split(name string) []string {
	name = filepath.Clean(name)
	name = filepath.ToSlash(name[len(filepath.VolumeName(name)):])
	return strings.FieldsFunc(name, func(r rune) bool { return r == '/' })
}

func (f *FS) walk(steps []string) (*node, error) {
	n := f.root
	for _, s := range steps {
		if s == "." {
			continue
		}
		if !n.isDir {
			return nil, syscall.ENOTDIR
		}
		if len(s) > nameMax {
			return nil, syscall.ENAMETOOLONG
		}
		if n = n.entries[s]; n == nil {
			return nil, syscall.ENOENT
		}
	}
	return n, nil
}

func (f *FS) lookup(op, name string) (*node, error) {
	n, err := f.walk(split(name))
	if err != nil {
		return nil, fail(op, name, err)
	}
	return n, nil
}

// parent finds the directory of name and the last step.
func (f *FS) parent(name string) (*node, string, error) {
	steps := split(name)
	if len(steps) == 0 {
		return nil, "", syscall.EINVAL
	}
	dir, err := f.walk(steps[:len(steps)-1])
	base := steps[len(steps)-1]
	switch {
	case err != nil:
	case !dir.isDir:
		err = syscall.ENOTDIR
	case len(base) > nameMax:
		err = syscall.ENAMETOOLONG
	}
	return dir, base, err
}

// record does a change to the live names and keeps it pending.
func (f *FS) record(c change) {
	if c.newDir != nil {
		if old := c.newDir.entries[c.newName]; old != nil && old != c.target {
			f.unlinked(old)
		}
		if c.oldDir == nil {
			c.target.links++
		}
	} else {
		f.unlinked(c.target)
	}
	c.apply(func(d *node) map[string]*node { return d.entries })
	f.pending = append(f.pending, c)
}

// unlinked gives the room of a file back that no name and no open file has.
func (f *FS) unlinked(n *node) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.links--
	n.release()
}

func (n *node) release() {
	if n.links <= 0 && n.opens <= 0 && !n.isDir {
		n.space.freeFrom(0)
	}
}

// OpenFile is as os.OpenFile for regular files.
func (f *FS) OpenFile(name string, flag int, perm fs.FileMode) (mapped.File, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	dir, base, err := f.parent(name)
	if err != nil {
		return nil, fail("open", name, err)
	}
	n := dir.entries[base]
	write := flag&(os.O_WRONLY|os.O_RDWR) != 0
	switch {
	case n == nil && flag&os.O_CREATE == 0:
		return nil, fail("open", name, syscall.ENOENT)
	case n != nil && flag&(os.O_CREATE|os.O_EXCL) == os.O_CREATE|os.O_EXCL:
		return nil, fail("open", name, syscall.EEXIST)
	case n != nil && n.isDir:
		return nil, fail("open", name, syscall.EISDIR)
	case n == nil:
		n = newFile(f.now())
		n.space.disk = f.disk
		f.record(change{target: n, newDir: dir, newName: base})
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.load()
	if flag&os.O_TRUNC != 0 && write {
		if err := n.resize(0); err != nil {
			return nil, fail("open", name, err)
		}
	}
	n.opens++
	f.files.Add(1)
	return &file{fs: f, n: n, name: name, read: flag&os.O_WRONLY == 0, write: write}, nil
}

// MkdirAll makes and syncs the missing directories.
func (f *FS) MkdirAll(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := f.root
	for _, s := range split(name) {
		if s == "." {
			continue
		}
		if len(s) > nameMax {
			return fail("mkdir", name, syscall.ENAMETOOLONG)
		}
		next := n.entries[s]
		if next == nil {
			next = newDir(f.now())
			f.record(change{target: next, newDir: n, newName: s})
			f.commit(func(c *change) bool { return c.in(n) })
		}
		if !next.isDir {
			return fail("mkdir", name, syscall.ENOTDIR)
		}
		n = next
	}
	return nil
}

// Mkdir makes one directory; its entry is durable after SyncDir of the parent.
func (f *FS) Mkdir(name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	parent, base, err := f.parent(name)
	if err != nil {
		return fail("mkdir", name, err)
	}
	if parent.entries[base] != nil {
		return fail("mkdir", name, syscall.EEXIST)
	}
	f.record(change{target: newDir(f.now()), newDir: parent, newName: base})
	return nil
}

// ReadDir lists a directory sorted by name.
func (f *FS) ReadDir(name string) ([]fs.DirEntry, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	n, err := f.lookup("open", name)
	if err != nil {
		return nil, err
	}
	if !n.isDir {
		return nil, fail("readdirent", name, syscall.ENOTDIR)
	}
	list := make([]fs.DirEntry, 0, len(n.entries))
	for _, s := range slices.Sorted(maps.Keys(n.entries)) {
		list = append(list, fs.FileInfoToDirEntry(n.entries[s].info(s)))
	}
	return list, nil
}
