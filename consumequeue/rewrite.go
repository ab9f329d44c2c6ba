package consumequeue

import (
	"fmt"
	"math"
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
