package consumequeue

import (
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"
)

// syncFSFrom is the number of dirty files from which one sync of the file
// system is cheaper than one of each file.
const syncFSFrom = 64

// dirtySet is what the next Sync has to make durable.
type dirtySet struct {
	mu    sync.Mutex
	files []*file
	dirs  map[string]struct{}
}

// addFile is called after the write: a Sync that clears the mark before its
// own sync covers it, any other finds the file listed again.
func (d *dirtySet) addFile(f *file) {
	if f.dirty.Swap(true) {
		return
	}
	d.mu.Lock()
	d.files = append(d.files, f)
	d.mu.Unlock()
}

func (d *dirtySet) addDir(dir string) {
	d.mu.Lock()
	if d.dirs == nil {
		d.dirs = map[string]struct{}{}
	}
	d.dirs[dir] = struct{}{}
	d.mu.Unlock()
}

func (d *dirtySet) take() ([]*file, map[string]struct{}) {
	d.mu.Lock()
	defer d.mu.Unlock()
	files, dirs := d.files, d.dirs
	d.files, d.dirs = nil, nil
	for _, f := range files {
		f.dirty.Store(false)
	}
	return files, dirs
}

// Covered says that all units found at Open are on disk: the process before this
// one closed the store in order. Without it the first Sync covers them.
func (s *Store) Covered() { s.synced.Store(true) }

// Sync makes every write that returned before the call durable, new files and
// directories included, and returns how many files that were. It may run beside
// anything. Unless Covered was called the first one syncs the whole file system,
// so that units which an earlier process wrote are covered too. It never tries
// twice: after an error the writes it was to cover may be lost, and a later Sync
// that succeeds says nothing about them.
func (s *Store) Sync() (files int, err error) {
	if s.o.ReadOnly {
		return 0, nil
	}
	dirty, dirs := s.dirty.take()
	// Nobody knows what a process before this one left unsynced.
	first := !s.synced.Swap(true)
	if first || len(dirty) >= syncFSFrom || len(dirs) >= syncFSFrom {
		return len(dirty), s.syncAll(dirty, first)
	}
	for _, f := range dirty {
		if e := s.syncFile(f); e != nil {
			err = errors.Join(err, e)
		}
		s.syncs.Add(1)
	}
	for _, dir := range slices.Sorted(maps.Keys(dirs)) { // in one order, for tests that count calls
		s.syncs.Add(1)
		if e := s.o.FS.SyncDir(dir); e != nil && !s.absent(dir) {
			err = errors.Join(err, e)
		}
	}
	return len(dirty), err
}

// Syncs grows while a Sync is under way, with each file, directory and file system
// that it is done with: for whoever wants to know a slow disk from one that hangs.
func (s *Store) Syncs() int64 { return s.syncs.Load() }

// syncAll syncs each file system that a dirty file may be on, or every one.
func (s *Store) syncAll(dirty []*file, every bool) error {
	simple, batch, ext := every, every, every
	for _, f := range dirty {
		ext = ext || f.ext
		batch = batch || (!f.ext && f.q.kind == Batch)
		simple = simple || (!f.ext && f.q.kind == Simple)
	}
	if !batch && !ext {
		simple = true // directories only
	}
	var err error
	for _, root := range []struct {
		due bool
		dir string
	}{{simple, s.o.Dir}, {batch, s.o.BatchDir}, {ext, s.o.ExtDir}} {
		if root.due && root.dir != "" && !s.absent(root.dir) {
			err = errors.Join(err, s.o.FS.SyncFS(root.dir))
			s.syncs.Add(1)
		}
	}
	return err
}

// syncFile makes the data of one file durable; a file that has left its queue
// meanwhile needs none.
func (s *Store) syncFile(f *file) error {
	h, err := s.pool.acquire(f)
	if err != nil {
		if f.gone.Load() {
			return nil
		}
		return err
	}
	defer h.release()
	if err := h.io.Datasync(); err != nil && !f.gone.Load() {
		return err
	}
	return nil
}

func (s *Store) absent(path string) bool {
	_, err := s.o.FS.Stat(path)
	return errors.Is(err, fs.ErrNotExist)
}
