package consumequeue

import (
	"fmt"
	"io"
	"math"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Rewrite replaces the unit at a queue offset in place, for a recovery that
// found it different from its record. The unit must stand between the first
// one and MaxOffset; in a batch queue it must begin at offset and keep its
// count. The next Sync makes it durable.
func (q *Queue) Rewrite(offset int64, e Entry) error {
	if err := q.writable(); err != nil {
		return err
	}
	defer q.mu.Unlock()
	if err := q.load(); err != nil && q.state.Load() != stateDamaged {
		return err
	}
	index, err := q.rewritable(offset, &e)
	if err != nil {
		return err
	}
	f := q.files.Load().find(index*q.kind.unitSize(), q.fileSize())
	b := make([]byte, q.kind.unitSize())
	q.kind.encodeUnit(b, &e)
	q.gen.Add(1)
	err = q.write(f, index*q.kind.unitSize()-f.start, b)
	q.gen.Add(1)
	if err != nil {
		return err
	}
	end := q.end.Load()
	q.ordered.Store(end)
	if index == end-1 {
		q.maxPhysical.Store(e.PhysicalOffset + int64(e.Size))
		q.lastTime = e.StoreTimestamp
	}
	return nil
}

func (q *Queue) rewritable(offset int64, e *Entry) (int64, error) {
	switch {
	case e.QueueOffset != offset:
		return 0, q.refuse(e, fmt.Sprintf("queue offset %d", offset))
	case e.PhysicalOffset < 0 || e.Size <= 0 || e.Size == preBlankSize || e.PhysicalOffset > math.MaxInt64-int64(e.Size):
		return 0, q.refuse(e, "a record in the log")
	}
	data, end := q.data, q.end.Load()
	if q.kind == Simple {
		if offset < data || offset >= end {
			return 0, q.refuse(e, fmt.Sprintf("a queue offset in [%d, %d)", data, end))
		}
		return offset, nil
	}
	index, err := q.searchBase(offset, data, end)
	if err != nil {
		return 0, err
	}
	if index < end {
		u, err := q.unitAt(index)
		if err != nil {
			return 0, err
		}
		if u.Base == offset && int64(u.Num) == e.num() {
			return index, nil
		}
	}
	return 0, q.refuse(e, "a unit that begins there and holds as many messages")
}

// Renew writes the units from a queue offset on once more. After an unclean stop
// what can be read is not on disk by itself: a sync that failed may have left
// pages behind that count as written. The next Sync makes them durable.
func (q *Queue) Renew(offset int64) error {
	if err := q.writable(); err != nil {
		return err
	}
	defer q.mu.Unlock()
	if err := q.load(); err != nil && q.state.Load() != stateDamaged {
		return err
	}
	end, unit := q.end.Load(), q.kind.unitSize()
	from := offset
	if q.kind == Batch {
		var err error
		if from, err = q.searchBase(offset, q.data, end); err != nil {
			return err
		}
	}
	from = max(from, q.data)
	buf := make([]byte, min(max(end-from, 0)*unit, 64<<10/unit*unit))
	for from < end {
		f := q.files.Load().find(from*unit, q.fileSize())
		if f == nil {
			return damaged(q.dir(), from*unit, "a file for these units", "none")
		}
		at := from*unit - f.start
		b := buf[:min((end-from)*unit, f.start+q.fileSize()-from*unit, int64(len(buf)))]
		if err := q.readBytes(f, at, b); err != nil {
			return err
		}
		if err := q.refresh(f, at, int64(len(b))); err != nil {
			return err
		}
		if err := q.write(f, at, b); err != nil {
			return err
		}
		from += int64(len(b)) / unit
	}
	return nil
}

// refresh lets go of pages that no sync would make durable.
func (q *Queue) refresh(f *file, at, n int64) error {
	h, err := q.store.pool.acquire(f)
	if err != nil {
		return err
	}
	defer h.release()
	if h.bytes(q.store.pool) == nil {
		return nil
	}
	return mapped.Refresh(h.region, at, n)
}

func (q *Queue) readBytes(f *file, at int64, b []byte) error {
	h, err := q.store.pool.acquire(f)
	if err != nil {
		return err
	}
	defer h.release()
	if _, err := h.io.ReadAt(b, at); err == io.EOF {
		return damaged(f.path(), at, "units", "the end of the file")
	} else if err != nil {
		return err
	}
	return nil
}
