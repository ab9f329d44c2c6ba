package reader

import (
	"errors"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// fetch lends the record that starts at a physical offset of which nothing is
// known: it may come from a user or from a damaged file. fn runs inside the fault
// guard, and only if a whole record stands there and says so itself.
//
// A *commitlog.MissingError: the log does not hold, or does not show yet, what
// is at the offset. ErrNoRecord with its cause: no record starts there.
func (r *Reader) fetch(cur *commitlog.Cursor, offset int64, fn func(b []byte) error) (err error) {
	fault := mapped.Guard(func() {
		var b []byte
		if b, err = r.whole(cur, offset); err == nil {
			err = fn(b)
		}
	})
	if fault != nil {
		return fault
	}
	return err
}

// whole borrows the record at offset. Only its checksum is left to be checked.
func (r *Reader) whole(cur *commitlog.Cursor, offset int64) ([]byte, error) {
	confirm := r.log.Log().Confirm()
	if offset >= confirm {
		return nil, r.unseen(offset, 0)
	}
	head, err := cur.Bytes(offset, record.BlankSize)
	if err != nil {
		return nil, err
	}
	size, kind, err := record.Measure(head)
	if err != nil {
		return nil, noRecord(offset, located(err, cur.Path(), offset))
	}
	if kind != record.KindRecord {
		return nil, noRecord(offset, errBlank)
	}
	if offset+int64(size) > confirm {
		return nil, r.unseen(offset, size)
	}
	b, err := cur.Bytes(offset, size)
	if err != nil {
		return nil, noRecord(offset, err) // a size that leaves the segment
	}
	if err := record.Verify(b, offset, record.CRCNone); err != nil {
		return nil, noRecord(offset, located(err, cur.Path(), offset))
	}
	return b, nil
}

var errBlank = errors.New("the filler at the end of a segment stands there")

// unseen says that a range is not confirmed, so that nobody may see it.
func (r *Reader) unseen(offset int64, size int) error {
	log := r.log.Log()
	return &commitlog.MissingError{Offset: offset, Size: size, Min: log.Min(), End: log.Confirm()}
}

// own copies b, checks the checksum of the copy and decodes it.
func (r *Reader) own(mem *arena, path string, offset int64, b []byte, m *record.MessageExt) error {
	at := mem.take(len(b), len(b))
	copy(at, b)
	err := r.check(at, path, offset)
	if err == nil {
		err = record.Decode(at, m)
	}
	if err != nil {
		mem.back(len(b))
		return located(err, path, offset)
	}
	return nil
}

func (r *Reader) check(b []byte, path string, offset int64) error {
	if r.o.SkipCRC {
		return nil
	}
	return record.Verify(b, offset, record.CRCRecord)
}
