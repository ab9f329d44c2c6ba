package consumequeue

import "encoding/binary"

func putTagsCode(unit []byte, tagsCode int64) {
	binary.BigEndian.PutUint64(unit[12:], uint64(tagsCode))
}

// appendExt writes the ext units of a run and returns the tags code field of
// each unit: an address, or the plain tags code where the ext unit could not be
// written. nil if the queue has no ext units.
func (q *Queue) appendExt(r run) []int64 {
	if q.kind != Simple || !q.store.o.EnableExt || q.store.o.ExtDir == "" {
		return nil
	}
	codes := make([]int64, 0, r.units)
	w := extWriter{q: q}
	next := r.base
	for i := range r.entries {
		e := &r.entries[i]
		if e.QueueOffset != next {
			continue
		}
		next++
		codes = append(codes, w.put(&ExtUnit{TagsCode: e.TagsCode, StoreTimestamp: e.StoreTimestamp, BitMap: e.BitMap}))
	}
	if !w.flush() {
		// Ext units are a help, not a part of the queue: it goes on without.
		next, codes = r.base, codes[:0]
		for i := range r.entries {
			if e := &r.entries[i]; e.QueueOffset == next {
				next++
				codes = append(codes, e.TagsCode)
			}
		}
	}
	return codes
}

// extWriter gathers ext units, one write for each file.
type extWriter struct {
	q   *Queue
	e   *extFiles
	f   *file
	at  int64 // absolute position of buf
	buf []byte
	err error
}

func (w *extWriter) put(u *ExtUnit) int64 {
	size, fileSize := u.size(), w.q.store.o.ExtFileSize
	if w.err != nil || size > maxExtUnit || size > fileSize-extEndSpace {
		return u.TagsCode
	}
	if w.f == nil && !w.open() {
		return u.TagsCode
	}
	pos := w.at + int64(len(w.buf))
	if size > w.f.start+fileSize-pos-extEndSpace {
		w.buf = append(w.buf, 0xff, 0xff) // the mark of a full file
		if !w.flush() || !w.next(w.f.start+fileSize) {
			return u.TagsCode
		}
		pos = w.at
	}
	w.buf = appendExtUnit(w.buf, u)
	return extAddress(pos)
}

// open goes to the end of the ext data.
func (w *extWriter) open() bool {
	if w.e, w.err = w.q.extLocked(); w.err != nil {
		return false
	}
	if w.e.end < 0 {
		if w.e.end, w.err = w.q.findExtEnd(w.e.files.Load()); w.err != nil {
			w.e.end = -1
			return false
		}
	}
	fileSize := w.q.store.o.ExtFileSize
	if w.f = w.e.files.Load().find(w.e.end, fileSize); w.f == nil {
		return w.next(w.e.end / fileSize * fileSize)
	}
	w.at = w.e.end
	return true
}

// next makes the ext file that starts at a position, and goes there.
func (w *extWriter) next(start int64) bool {
	q := w.q
	f := w.e.files.Load().find(start, q.store.o.ExtFileSize)
	if f == nil {
		f = q.newFile(start, true)
		q.dirsMade = false
		if w.err = q.makeDirs(q.store.o.ExtDir); w.err != nil {
			return false
		}
		if w.err = q.store.makeFile(f, nil); w.err != nil {
			return false
		}
		set := w.e.files.Load()
		w.e.files.Store(&fileSet{files: append(set.files[:len(set.files):len(set.files)], f)})
	}
	w.f, w.at, w.e.end = f, start, start
	return true
}

func (w *extWriter) flush() bool {
	if w.err != nil || len(w.buf) == 0 {
		return w.err == nil
	}
	if w.err = w.q.write(w.f, w.at-w.f.start, w.buf); w.err != nil {
		return false
	}
	w.at += int64(len(w.buf))
	w.e.end, w.buf = w.at, w.buf[:0]
	return true
}

// findExtEnd finds where ext data ends: behind the unit of the last address in
// the queue, else behind the last unit of the last file.
func (q *Queue) findExtEnd(set *fileSet) (int64, error) {
	if set.empty() {
		return 0, nil
	}
	b := make([]byte, 64<<10)
	var u ExtUnit
	if q.end.Load() > q.data {
		last, err := q.unitAt(q.end.Load() - 1)
		if err == nil && IsExtAddress(last.TagsCode) {
			at := extOffset(last.TagsCode)
			if size, err := q.readExtAt(set, at, b, &u); err == nil {
				return at + int64(size), nil
			}
		}
	}
	f := set.files[len(set.files)-1]
	for at := f.start; ; {
		n, err := q.readExtBytes(set, at, b)
		if err != nil {
			return 0, err
		}
		used := 0
		for used < n {
			size, err := decodeExtUnit(b[used:n], &u)
			if err != nil || size == 0 {
				break
			}
			used += size
		}
		at += int64(used)
		if used == 0 || at >= f.start+f.size() {
			return at, nil
		}
	}
}
