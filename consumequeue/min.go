package consumequeue

import (
	"errors"
	"io/fs"

	"github.com/actorstore/actorstore/commitlog/record"
)

// CorrectMin moves MinOffset up to the first unit whose record starts at or
// above minPhysical, the commit log's minimum; to MaxOffset if there is none.
// It never moves down and changes nothing on disk, so a read-only store may ask
// for it too. The number of units read grows with the logarithm of the queue's
// length.
func (q *Queue) CorrectMin(minPhysical int64) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if err := q.load(); err != nil && q.state.Load() != stateDamaged {
		return err
	}
	return q.correctMin(minPhysical)
}

func (q *Queue) correctMin(minPhysical int64) error {
	first, end := q.first.Load(), q.end.Load()
	if first >= end || q.maxPhysical.Load() < 0 {
		return nil
	}
	index, err := q.firstLive(first, end, minPhysical)
	if err != nil || index == first {
		return err
	}
	minOffset := q.maxOffset.Load()
	if index < end {
		u, err := q.unitAt(index)
		if err != nil {
			return err
		}
		minOffset = u.Base
	}
	q.setStart(index, minOffset)
	return nil
}

// firstLive finds the first unit of [lo, hi) whose record starts at or above
// minPhysical. A damaged one that points too far to the front ends the search behind
// itself: then the one in front of it is live, and the search goes on there.
func (q *Queue) firstLive(lo, hi, minPhysical int64) (int64, error) {
	live := func(u *Unit) bool { return u.PhysicalOffset >= minPhysical }
	index, err := q.searchUnit(lo, hi, live)
	for err == nil && index-2 >= lo {
		u, failed := q.unitAt(index - 2)
		if failed != nil && !errors.Is(failed, record.ErrCorrupt) {
			return 0, failed
		}
		if failed != nil || !live(&u) {
			break
		}
		index, err = q.searchUnit(lo, index-1, live)
	}
	return index, err
}

// searchUnit finds the first unit of [lo, hi) for which is holds, when it holds
// for all behind that one; hi if none. The first unit is asked first: mostly
// the search ends there.
func (q *Queue) searchUnit(lo, hi int64, is func(*Unit) bool) (int64, error) {
	for probe := lo; lo < hi; probe = lo + (hi-lo)/2 {
		u, err := q.unitAt(probe)
		if err != nil {
			return 0, err
		}
		if is(&u) {
			hi = probe
		} else {
			lo = probe + 1
		}
	}
	return lo, nil
}

// DeleteExpired corrects the minimum as CorrectMin does, then removes files
// from the front whose last unit's record starts below minPhysical, never the
// last file, and returns how many it removed. Readers that hold one go on.
func (q *Queue) DeleteExpired(minPhysical int64) (files int, err error) {
	if err := q.writable(); err != nil {
		return 0, err
	}
	defer q.mu.Unlock()
	if err := q.load(); err != nil {
		return 0, err
	}
	if err := q.correctMin(minPhysical); err != nil {
		return 0, err
	}
	for set := q.files.Load(); !set.empty() && len(set.files) > 1 && q.expired(set.files[0]); set = q.files.Load() {
		if err := q.removeFirst(set); err != nil {
			return files, err
		}
		files++
	}
	if files > 0 {
		q.store.dirty.addDir(q.dir())
		err = q.expireExt()
	}
	return files, err
}

// expired: no live unit is in f. As units stand in log order that is the same
// as asking its last one.
func (q *Queue) expired(f *file) bool {
	return (f.start+f.size())/q.kind.unitSize() <= q.first.Load()
}

// removeFirst takes the first file out before it is removed, so that no reader
// finds it listed and missing.
func (q *Queue) removeFirst(set *fileSet) error {
	f := set.files[0]
	q.files.Store(&fileSet{files: set.files[1:]})
	q.store.pool.retire(f)
	if err := q.store.o.FS.Remove(f.path()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		files := append([]*file{q.newFile(f.start, false)}, set.files[1:]...)
		q.files.Store(&fileSet{files: files})
		return err
	}
	q.data = max(q.data, set.files[1].start/q.kind.unitSize())
	return nil
}
