package consumequeue

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Reset empties the queue for a rebuild, damaged or not; the next Append may
// start anywhere. With asideDir "" its files are removed, else they are moved
// to <asideDir>/<kind directory>/<topic>/<queueId>/. Strays stay.
func (q *Queue) Reset(asideDir string) error {
	if err := q.writable(); err != nil {
		return err
	}
	defer q.mu.Unlock()
	return q.empty(asideDir)
}

// Destroy removes the queue, its files and its directory; strays in it, and
// then the directory, stay. The queue is no longer found in the store; calls on
// it give ErrDeleted.
func (q *Queue) Destroy() error {
	if err := q.writable(); err != nil {
		return err
	}
	defer q.mu.Unlock()
	if err := q.empty(""); err != nil {
		return err
	}
	q.dirsMade = false // should the rest panic, whoever writes next makes them again
	err := q.removeDirs(q.root(), q.dir())
	if q.store.o.ExtDir != "" && q.kind == Simple {
		err = errors.Join(err, q.removeDirs(q.store.o.ExtDir, q.extDir()))
	}
	q.state.Store(stateGone)
	q.store.table.remove(q)
	return err
}

// empty takes everything out; q.mu is held.
func (q *Queue) empty(asideDir string) error {
	set := q.files.Load()
	q.setEnd(0, 0, -1)
	q.setStart(0, 0)
	q.files.Store(nil)
	q.gen.Add(2)
	q.data, q.lastTime, q.damage, q.anew = 0, 0, nil, false
	q.ordered.Store(0)
	// Until all are gone the disk has to be asked again.
	q.state.Store(stateKnown)
	if !set.empty() {
		for _, f := range set.files {
			q.store.pool.retire(f)
		}
	}
	if err := q.emptyDir(q.root(), q.dir(), asideDir); err != nil {
		return err
	}
	if q.kind == Simple && q.store.o.ExtDir != "" {
		q.forgetExt()
		if err := q.emptyDir(q.store.o.ExtDir, q.extDir(), asideDir); err != nil {
			return err
		}
	}
	q.state.Store(stateReady)
	return nil
}

// emptyDir removes or moves the queue files of a directory, the last one first:
// what a stop leaves over is the front of a queue.
func (q *Queue) emptyDir(root, dir, asideDir string) error {
	fsys := q.store.o.FS
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	}
	aside := ""
	if asideDir != "" {
		aside = filepath.Join(asideDir, filepath.Base(root), q.topic, strconv.Itoa(int(q.id)))
	}
	for i := len(entries) - 1; i >= 0; i-- {
		name := entries[i].Name()
		if _, ok := mapped.ParseName(name); !ok || !entries[i].Type().IsRegular() {
			continue
		}
		path := filepath.Join(dir, name)
		if aside == "" {
			err = fsys.Remove(path)
		} else {
			err = q.store.moveAside(path, aside, name)
		}
		if err != nil {
			return err
		}
	}
	if aside != "" && !q.store.absent(aside) {
		if err := fsys.SyncDir(aside); err != nil {
			return err
		}
	}
	return fsys.SyncDir(dir)
}

// moveAside replaces nothing that was kept before.
func (s *Store) moveAside(path, aside, name string) error {
	if err := s.o.FS.MkdirAll(aside); err != nil {
		return err
	}
	to, err := mapped.Free(s.o.FS, aside, name)
	if err != nil {
		return err
	}
	return s.o.FS.Rename(path, to)
}

// removeDirs removes the queue's directory and its topic's where they are empty.
func (q *Queue) removeDirs(root, dir string) error {
	fsys := q.store.o.FS
	for _, d := range []string{dir, filepath.Dir(dir)} {
		entries, err := fsys.ReadDir(d)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return err
		}
		if len(entries) > 0 {
			return nil
		}
		if err := fsys.Remove(d); err != nil {
			return err
		}
		if err := fsys.SyncDir(filepath.Dir(d)); err != nil {
			return err
		}
	}
	return nil
}
