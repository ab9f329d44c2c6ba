package consumequeue

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// begin makes the first file of a queue, for the unit at queue offset.
func (q *Queue) begin(offset int64) error {
	if q.kind == Batch {
		return nil // byte 0, whatever the offset; made on demand
	}
	start := offset * UnitSize / q.fileSize() * q.fileSize()
	blanks := offset - start/UnitSize
	f, err := q.create(start, func(m mapped.File) error { return writePreBlanks(m, blanks) })
	if err != nil {
		return err
	}
	q.data = offset
	q.ordered.Store(offset)
	q.setEnd(offset, offset, -1)
	q.setStart(offset, offset)
	q.files.Store(&fileSet{files: []*file{f}})
	return nil
}

// writePreBlanks fills a new file up to its first unit.
func writePreBlanks(m mapped.File, blanks int64) error {
	if blanks == 0 {
		return nil
	}
	b := make([]byte, blanks*UnitSize)
	for i := range blanks {
		encodePreBlank(b[i*UnitSize:])
	}
	_, err := m.WriteAt(b, 0)
	return err
}

// fileAtEnd returns the file that the next unit goes into, made if need be.
func (q *Queue) fileAtEnd() (*file, error) {
	pos := q.end.Load() * q.kind.unitSize()
	set := q.files.Load()
	if f := set.find(pos, q.fileSize()); f != nil {
		return f, nil
	}
	f, err := q.create(pos/q.fileSize()*q.fileSize(), nil)
	if err != nil {
		return nil, err
	}
	next := &fileSet{}
	if set != nil {
		next.files = append(next.files, set.files...)
	}
	next.files = append(next.files, f)
	q.files.Store(next)
	return f, nil
}

// create makes a file of full length under its name. Nothing is synced here:
// file and directories are due at the next Sync.
func (q *Queue) create(start int64, fill func(mapped.File) error) (*file, error) {
	f := q.newFile(start, false)
	if err := q.makeDirs(q.root()); err != nil {
		return nil, err
	}
	return f, q.store.makeFile(f, fill)
}

// makeFile makes f, open in the pool, and marks it for the next Sync.
func (s *Store) makeFile(f *file, fill func(mapped.File) error) error {
	if !s.tmpMade.Load() {
		if err := s.o.FS.MkdirAll(s.o.TmpDir); err != nil {
			return err
		}
		s.tmpMade.Store(true)
	}
	tmp := filepath.Join(s.o.TmpDir, fmt.Sprintf("queuefile-%d", s.made.Add(1)))
	m, err := s.o.FS.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	err = m.Truncate(f.size())
	if err == nil && fill != nil {
		err = fill(m)
	}
	if err == nil {
		// A file that is there already holds nothing: its making was not finished.
		err = s.o.FS.Rename(tmp, f.path())
	}
	if err != nil {
		m.Close()
		s.o.FS.Remove(tmp)
		return err
	}
	h, err := s.pool.adopt(f, m)
	if err != nil {
		return err
	}
	h.release()
	s.dirty.addFile(f)
	s.dirty.addDir(f.dir())
	return nil
}

// makeDirs makes <root>/<topic>/<queueId>. The entries above the queue's are
// listed for a sync even if they are there: who made them may have died, or
// may be about to list them.
func (q *Queue) makeDirs(root string) error {
	if q.dirsMade {
		return nil
	}
	s := q.store
	topic := filepath.Join(root, q.topic)
	dir := filepath.Join(topic, filepath.Base(q.dir()))
	if err := s.mkdir(root, topic, dir); err != nil {
		return err
	}
	s.dirty.addDir(filepath.Dir(root))
	s.dirty.addDir(root)
	s.dirty.addDir(topic)
	q.dirsMade = true
	return nil
}

func (s *Store) mkdir(root, topic, dir string) error {
	m := s.o.FS
	err := m.Mkdir(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		return ignoreExist(err)
	}
	if err := m.Mkdir(topic); errors.Is(err, fs.ErrNotExist) {
		if err := s.o.FS.MkdirAll(root); err != nil {
			return err
		}
		if err := m.Mkdir(topic); ignoreExist(err) != nil {
			return err
		}
	} else if ignoreExist(err) != nil {
		return err
	}
	return ignoreExist(m.Mkdir(dir))
}

func ignoreExist(err error) error {
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// write puts b at a position of f and marks f for the next Sync.
func (q *Queue) write(f *file, at int64, b []byte) error {
	h, err := q.store.pool.acquire(f)
	if err != nil {
		return err
	}
	defer h.release()
	_, err = h.io.WriteAt(b, at)
	q.store.dirty.addFile(f)
	return err
}
