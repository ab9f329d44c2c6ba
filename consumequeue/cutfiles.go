package consumequeue

import (
	"errors"
	"io/fs"
	"path/filepath"
)

// keepAt is how many files stay when the queue ends at index. RocketMQ takes
// the zero unit of an empty last file for a unit, so none is left but the
// first, which alone tells where the queue goes on; at offset 0 not even that.
func (q *Queue) keepAt(index int64) int {
	set := q.files.Load()
	if set.empty() {
		return 0
	}
	pos := index * q.kind.unitSize()
	n := int((pos - set.files[0].start + q.fileSize() - 1) / q.fileSize())
	if n == 0 && pos > 0 {
		n = 1
	}
	return min(n, len(set.files))
}

// zeroBehind removes files behind the first keep, then zeroes [index, old).
func (q *Queue) zeroBehind(index, old int64, keep int) error {
	if err := q.dropFrom(keep); err != nil {
		return err
	}
	if keep == 0 {
		return q.syncDirs()
	}
	f := q.files.Load().files[keep-1]
	unit := q.kind.unitSize()
	from, to := index*unit-f.start, min(old*unit-f.start, f.size())
	zeros := make([]byte, min(max(to-from, 0), 64<<10))
	for ; from < to; from += int64(len(zeros)) {
		if err := q.write(f, from, zeros[:min(to-from, int64(len(zeros)))]); err != nil {
			return err
		}
	}
	return q.syncWhole()
}

// syncWhole makes the queue durable as it stands, units in front of a cut that
// no Sync has covered yet included.
func (q *Queue) syncWhole() error {
	for _, f := range q.files.Load().files {
		if !f.dirty.Load() {
			continue
		}
		// The mark stays: the next Sync is told of the file in any case.
		if err := q.store.syncFile(f); err != nil {
			return err
		}
	}
	return q.syncDirs()
}

// dropFrom removes the files from the last down to number keep.
func (q *Queue) dropFrom(keep int) error {
	set := q.files.Load()
	if set.empty() {
		return nil
	}
	for n := len(set.files); n > keep; n-- {
		f := set.files[n-1]
		if err := q.store.o.FS.Remove(f.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		q.files.Store(&fileSet{files: set.files[: n-1 : n-1]})
		q.store.pool.retire(f)
	}
	return nil
}

// syncDirs makes the names of the queue's files durable, and the queue's own
// above them, which may be as new.
func (q *Queue) syncDirs() error {
	for dir := q.dir(); ; dir = filepath.Dir(dir) {
		if err := q.store.o.FS.SyncDir(dir); err != nil || dir == q.root() {
			return err
		}
	}
}
