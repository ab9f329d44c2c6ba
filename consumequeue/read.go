package consumequeue

import (
	"fmt"
	"io"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Read copies units into dst, from the one at queue offset on (in a batch
// queue: from the one that holds it, or the first behind it), across files, and
// returns how many. 0 without an error: offset is at or above MaxOffset.
//
// Below MinOffset it is ErrOffsetTooSmall, also when the units expire during
// the call. A unit that no record can stand behind is *record.CorruptionError;
// units in front of it are returned first. An ext unit replaces the tags code
// of its unit; if it cannot be read the address stays (IsExtAddress).
//
// It allocates nothing, takes no lock on files that are open, and is safe
// beside Append, expiry, truncation and eviction.
func (q *Queue) Read(offset int64, dst []Unit) (int, error) {
	if len(dst) == 0 {
		return 0, nil
	}
	for {
		if err := q.readable(); err != nil {
			return 0, err
		}
		gen := q.gen.Load()
		if gen&1 == 1 {
			q.awaitWriter()
			continue
		}
		n, err := q.read(offset, dst)
		if err == errGone || q.gen.Load() != gen {
			continue
		}
		return n, err
	}
}

func (q *Queue) read(offset int64, dst []Unit) (int, error) {
	if offset >= q.maxOffset.Load() {
		return 0, nil
	}
	end := q.end.Load()
	if offset < q.minOffset.Load() {
		return 0, ErrOffsetTooSmall
	}
	index := offset
	if q.kind == Batch {
		var err error
		if index, err = q.searchBase(offset, q.first.Load(), end); err != nil {
			return 0, err
		}
	}
	n, err := q.readUnits(index, end, dst)
	if q.kind == Simple && q.store.o.ExtDir != "" {
		q.resolveExt(dst[:n])
	}
	return n, err
}

// readUnits copies units [index, end) as far as dst holds them.
func (q *Queue) readUnits(index, end int64, dst []Unit) (int, error) {
	set := q.files.Load()
	size, unit := q.fileSize(), q.kind.unitSize()
	n := 0
	for n < len(dst) && index < end {
		f := set.find(index*unit, size)
		if f == nil {
			return n, errGone // the list was changed behind the ends
		}
		at := index*unit - f.start
		want := min(int64(len(dst)-n), end-index, (size-at)/unit)
		got, err := q.readFile(f, at, index, dst[n:n+int(want)])
		n += got
		index += int64(got)
		if err != nil {
			if n > 0 && err != errGone {
				return n, nil
			}
			return n, err
		}
	}
	return n, nil
}

// readFile decodes len(dst) units at a position of one file.
func (q *Queue) readFile(f *file, at, index int64, dst []Unit) (n int, err error) {
	h, err := q.store.pool.acquire(f)
	if err != nil {
		return 0, err
	}
	defer h.release()
	unit := q.kind.unitSize()
	b := h.bytes(q.store.pool)
	if b == nil {
		return q.readPlain(h, at, index, dst)
	}
	b = b[at : at+int64(len(dst))*unit]
	err = mapped.Guard(func() { n = q.decode(b, index, dst) })
	if err != nil {
		return 0, err
	}
	if n < len(dst) {
		return n, q.badUnit(f, at+int64(n)*unit, b[int64(n)*unit:])
	}
	return n, nil
}

// readPlain is readFile for a file that cannot be mapped.
func (q *Queue) readPlain(h *handle, at, index int64, dst []Unit) (int, error) {
	buf := q.store.buffers.Get().(*[]byte)
	defer q.store.buffers.Put(buf)
	unit := q.kind.unitSize()
	dst = dst[:min(int64(len(dst)), int64(cap(*buf))/unit)]
	b := (*buf)[:int64(len(dst))*unit]
	if _, err := h.io.ReadAt(b, at); err == io.EOF {
		return 0, damaged(h.f.path(), at, "a unit", "the end of the file")
	} else if err != nil {
		return 0, err
	}
	n := q.decode(b, index, dst)
	if n < len(dst) {
		return n, q.badUnit(h.f, at+int64(n)*unit, b[int64(n)*unit:])
	}
	return n, nil
}

// decode stops at the first unit that cannot be one.
func (q *Queue) decode(b []byte, index int64, dst []Unit) int {
	unit := int(q.kind.unitSize())
	for i := range dst {
		if !q.kind.decodeUnit(b[i*unit:], index+int64(i), &dst[i]) {
			return i
		}
	}
	return len(dst)
}

// badUnit names what stands at a position of f; b may be mapped.
func (q *Queue) badUnit(f *file, at int64, b []byte) error {
	got := "bytes that cannot be read"
	err := mapped.Guard(func() { got = q.kind.shapeOf(b[:q.kind.unitSize()]).String() })
	if err != nil {
		return err
	}
	return damaged(f.path(), at, "a unit", got)
}

// searchBase finds the unit that holds a queue offset of a batch queue, else
// the first behind it, by binary search over the base offsets of [lo, end).
func (q *Queue) searchBase(offset, lo, end int64) (int64, error) {
	hi := end
	for lo < hi {
		mid := lo + (hi-lo)/2
		u, err := q.unitAt(mid)
		if err != nil {
			return 0, err
		}
		if u.next() <= offset {
			lo = mid + 1
		} else {
			hi = mid
		}
	}
	return lo, nil
}

// unitAt reads one unit by its index, live or not.
func (q *Queue) unitAt(index int64) (Unit, error) {
	var one [1]Unit
	n, err := q.readUnits(index, index+1, one[:])
	if err == nil && n == 0 {
		err = fmt.Errorf("queue %s-%d has no unit %d", q.topic, q.id, index)
	}
	return one[0], err
}
