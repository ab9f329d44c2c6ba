package consumequeue

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// extFiles are the ext units of one queue (RocketMQ's ConsumeQueueExt).
type extFiles struct {
	files atomic.Pointer[fileSet]
	end   int64 // where the next unit goes, -1 = not looked for; under Queue.mu
}

// ReadExt reads the ext unit at an address (Unit.Ext) into u, reusing the memory
// of u.BitMap. Ext units are synced apart from their queue: one that is lost is
// *record.CorruptionError, and the message is to be treated as one without tags.
func (q *Queue) ReadExt(address int64, u *ExtUnit) error {
	if !IsExtAddress(address) || q.kind != Simple || q.store.o.ExtDir == "" {
		return fmt.Errorf("queue %s-%d has no ext unit %d", q.topic, q.id, address)
	}
	b := make([]byte, maxExtUnit)
	set, err := q.extSet()
	if err != nil {
		return err
	}
	var got ExtUnit
	if _, err := q.readExtAt(set, extOffset(address), b, &got); err != nil {
		return err
	}
	u.TagsCode, u.StoreTimestamp = got.TagsCode, got.StoreTimestamp
	u.BitMap = append(u.BitMap[:0], got.BitMap...)
	return nil
}

// resolveExt puts the contents of ext units into units whose tags code is an
// address. A lost one leaves the address: tags code and Ext are then equal.
func (q *Queue) resolveExt(units []Unit) {
	var buf *[]byte
	for i := range units {
		u := &units[i]
		if !IsExtAddress(u.TagsCode) {
			continue
		}
		u.Ext = u.TagsCode
		if buf == nil {
			buf = q.store.buffers.Get().(*[]byte)
			defer q.store.buffers.Put(buf)
		}
		set, err := q.extSet()
		if err != nil {
			return
		}
		var ext ExtUnit
		if err := q.readExtHeader(set, extOffset(u.Ext), (*buf)[:extHeaderSize], &ext); err == nil {
			u.TagsCode, u.StoreTimestamp = ext.TagsCode, ext.StoreTimestamp
		}
	}
}

// readExtHeader reads a unit without its bit map.
func (q *Queue) readExtHeader(set *fileSet, offset int64, b []byte, u *ExtUnit) error {
	_, err := q.readExtBytes(set, offset, b)
	if err != nil {
		return err
	}
	size, bits := int16(binary.BigEndian.Uint16(b)), int16(binary.BigEndian.Uint16(b[18:]))
	if size < extHeaderSize || int(bits) != int(size)-extHeaderSize {
		return errGone
	}
	u.TagsCode = int64(binary.BigEndian.Uint64(b[2:]))
	u.StoreTimestamp = int64(binary.BigEndian.Uint64(b[10:]))
	return nil
}

// readExtAt reads a whole unit into b and returns its size.
func (q *Queue) readExtAt(set *fileSet, offset int64, b []byte, u *ExtUnit) (int, error) {
	n, err := q.readExtBytes(set, offset, b)
	if err != nil {
		return 0, err
	}
	size, err := decodeExtUnit(b[:n], u)
	if err != nil || size == 0 {
		got := "the end of the data"
		if err != nil {
			got = err.Error()
		}
		return 0, damaged(q.extPath(offset), offset%q.store.o.ExtFileSize, "an ext unit", got)
	}
	return size, nil
}

// readExtBytes reads what is there of len(b) bytes of one file.
func (q *Queue) readExtBytes(set *fileSet, offset int64, b []byte) (int, error) {
	f := set.find(offset, q.store.o.ExtFileSize)
	if f == nil {
		return 0, damaged(q.extPath(offset), offset%q.store.o.ExtFileSize, "an ext unit", "no file")
	}
	h, err := q.store.pool.acquire(f)
	if err != nil {
		return 0, err
	}
	defer h.release()
	n, err := h.io.ReadAt(b, offset-f.start)
	if err == io.EOF {
		err = nil
		clear(b[n:])
	}
	return n, err
}

func (q *Queue) extPath(offset int64) string {
	return filepath.Join(q.extDir(), mapped.Name(offset/q.store.o.ExtFileSize*q.store.o.ExtFileSize))
}

// extSet is the list of ext files, read when it is first asked for.
func (q *Queue) extSet() (*fileSet, error) {
	if e := q.ext.Load(); e != nil {
		return e.files.Load(), nil
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	e, err := q.extLocked()
	if err != nil {
		return nil, err
	}
	return e.files.Load(), nil
}

func (q *Queue) extLocked() (*extFiles, error) {
	if e := q.ext.Load(); e != nil {
		return e, nil
	}
	entries, err := q.store.o.FS.ReadDir(q.extDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	set := &fileSet{}
	for _, d := range entries {
		start, ok := mapped.ParseName(d.Name())
		if !ok || !d.Type().IsRegular() || start%q.store.o.ExtFileSize != 0 {
			q.store.o.Warn(filepath.Join(q.extDir(), d.Name()), "not an ext file")
			continue
		}
		set.files = append(set.files, q.newFile(start, true))
	}
	slices.SortFunc(set.files, func(a, b *file) int { return cmp.Compare(a.start, b.start) })
	for i := len(set.files) - 1; i > 0; i-- {
		if set.files[i].start != set.files[i-1].start+q.store.o.ExtFileSize {
			q.store.o.Warn(set.files[i].path(), "ext files in front of it are missing")
			set.files = set.files[i:]
			break
		}
	}
	e := &extFiles{end: -1}
	e.files.Store(set)
	q.ext.Store(e)
	return e, nil
}

// forgetExt lets go of all ext files; q.mu is held.
func (q *Queue) forgetExt() {
	e := q.ext.Swap(nil)
	if e == nil {
		return
	}
	for _, f := range e.files.Load().files {
		q.store.pool.retire(f)
	}
}
