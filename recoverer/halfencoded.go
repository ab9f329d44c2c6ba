package recoverer

import (
	"encoding/binary"

	"github.com/actorstore/actorstore/commitlog/record"
)

const pageSize = 4096

// halfEncoded tells whether [end, next) begins with a record that was not yet
// encoded to its end: it has no size, which is written behind the rest, or one and
// no checksum, which comes last, or one and a hole in front of the end of a page. If
// it is whole but for its size, that is damaged, and so is a BLANK, whose size is
// written first.
func (t *tail) halfEncoded(next int64) (half bool) {
	_ = viewRest(t.in.Log.Reader(), t.end, next, func(b []byte) {
		if half = record.Unfinished(b) || t.caughtByPage(b, next); half {
			return
		}
		if len(b) < record.BlankSize || int64(len(b)) < next-t.end || !zero(b[:sizeField]) || isMagic(b[sizeField:], record.MagicBlank) {
			return
		}
		if b = b[:t.recordEnd(b, next)]; len(b) < sizeField {
			half = true // nothing at all
			return
		}
		sized := binary.BigEndian.AppendUint32(make([]byte, 0, len(b)), uint32(len(b)))
		half = record.Verify(append(sized, b[sizeField:]...), t.end, record.CRCRecord) != nil
	})
	return half
}

// caughtByPage tells whether [end, next) begins with a record that has its size and
// nothing in front of its end, or of the end of a page. What copies a page to the disk
// need not begin at its front: it may have read the end of it before the record was
// there, and the front, with the size that is written last, when it was. The next page
// went to the disk another time.
func (t *tail) caughtByPage(b []byte, next int64) bool {
	size, kind, err := record.Measure(b)
	if err != nil || kind != record.KindRecord || size > len(b) || int64(len(b)) < next-t.end {
		return false
	}
	if end := t.recordEnd(b, next); size != end && !(size > end && endsInZeros(b[:size])) {
		return false
	}
	for at := int(pageSize - t.end%pageSize); at < size; at += pageSize {
		if endsInZeros(b[:at]) {
			return true
		}
	}
	return endsInZeros(b[:size])
}

// endsInZeros tells of more zeros than the numbers of a record, or of an inner batch,
// have next to each other.
func endsInZeros(b []byte) bool {
	const most = 23
	return len(b) > most && zero(b[len(b)-most-1:])
}
