package consumequeue

import (
	"errors"
	"io/fs"
)

// TruncateTo cuts the queue so that MaxOffset is at most maxOffset (a batch unit
// that reaches above it goes as a whole): files behind are removed, the units
// left over are zeroed, and the queue is durable when it returns. A damaged
// queue is mended if the cut lies in its valid part: the last file is made anew
// at full length. If the cut falls in front of the first file the queue starts
// anew at maxOffset.
func (q *Queue) TruncateTo(maxOffset int64) error {
	if err := q.writable(); err != nil {
		return err
	}
	defer q.mu.Unlock()
	if err := q.load(); err != nil && q.state.Load() != stateDamaged {
		return err
	}
	index := max(maxOffset, 0)
	if q.kind == Batch {
		var err error
		if index, err = q.searchUnit(q.data, q.end.Load(), func(u *Unit) bool { return u.next() > maxOffset }); err != nil {
			return err
		}
	}
	return q.truncate(index)
}

// TruncatePhysical cuts the units whose records end above end, the end of the
// commit log; otherwise as TruncateTo.
func (q *Queue) TruncatePhysical(end int64) error {
	if err := q.writable(); err != nil {
		return err
	}
	defer q.mu.Unlock()
	if err := q.load(); err != nil && q.state.Load() != stateDamaged {
		return err
	}
	if q.state.Load() == stateReady && q.maxPhysical.Load() <= end {
		return nil
	}
	index, err := q.searchUnit(q.data, q.end.Load(), func(u *Unit) bool { return u.end() > end })
	if err != nil {
		return err
	}
	return q.truncate(index)
}

// truncate cuts at a unit; q.mu is held and the ends are known.
func (q *Queue) truncate(index int64) error {
	old, broken := q.end.Load(), q.state.Load() == stateDamaged
	switch {
	case broken && index > old:
		return q.damage
	case !broken && index >= old:
		return nil
	}
	set := q.files.Load()
	if !set.empty() && index*q.kind.unitSize() < set.files[0].start {
		return q.restart(index)
	}
	if err := q.lowerEnd(index); err != nil {
		return err
	}
	keep := q.keepAt(index)
	var err error
	if broken {
		err = q.mend(index, keep)
	} else {
		err = q.zeroBehind(index, old, keep)
	}
	if err != nil {
		return err
	}
	return q.cutExt()
}

// lowerEnd publishes the lower end before a byte is changed: a reader that
// began with the old one sees gen move.
func (q *Queue) lowerEnd(index int64) error {
	maxOffset, maxPhysical := index, int64(-1)
	if q.kind == Batch {
		maxOffset = q.minOffset.Load()
	}
	if index > q.data {
		u, err := q.unitAt(index - 1)
		if err != nil {
			return err
		}
		maxOffset, maxPhysical = u.next(), u.end()
	}
	if q.first.Load() >= index {
		q.setStart(index, maxOffset)
	}
	q.setEnd(index, maxOffset, maxPhysical)
	q.data = min(q.data, index)
	q.ordered.Store(min(q.ordered.Load(), index))
	if q.ordered.Load() == index {
		q.lastTime = 0
	}
	q.gen.Add(2)
	return nil
}

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
		return q.store.o.FS.SyncDir(q.dir())
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
	return q.store.o.FS.SyncDir(q.dir())
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
