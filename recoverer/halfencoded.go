package recoverer

import (
	"encoding/binary"

	"github.com/actorstore/actorstore/commitlog/record"
)

// halfEncoded tells whether [end, next) begins with a record or a BLANK that was not yet
// encoded to its end when its page, or a sector of it, went to the disk.
func (t *tail) halfEncoded(next int64) (half bool) {
	_ = t.viewBad(next, func(b []byte) {
		if isMagic(b[sizeField:], record.MagicBlank) {
			return // the encoder stores that last
		}
		all := b[:t.recordEnd(b, next)]
		if size := recordSize(b); size > len(all) && size <= len(b) {
			all = b[:size] // the zeros in front of a BLANK that is not there either are its own
		}
		one := first(all, t.end)
		half = len(all) < sizeField || zero(b[:sizeField]) || blankWithoutMagic(b) ||
			record.Unfinished(all, t.end) || record.Unfinished(one, t.end) || t.zeroAtSectorEnd(one)
	})
	return half
}

// first is the record that b, which stands at offset, begins with. Another one follows if
// the size tells of it, and a page that caught the first has nothing of the size of that.
func first(b []byte, offset int64) []byte {
	size := recordSize(b)
	if size < 0 || size >= len(b) {
		return b
	}
	kept := sectorSize - (offset+int64(size))%sectorSize
	if !zero(b[size:min(int64(size)+min(kept, sizeField), int64(len(b)))]) {
		return b
	}
	return b[:size]
}

// recordSize is the size that the record at the front of b tells, -1 if none begins there.
func recordSize(b []byte) int {
	if size, kind, err := record.Measure(b); err == nil && kind == record.KindRecord {
		return size
	}
	return -1
}

// blankWithoutMagic tells whether b is a size and nothing else, as of a BLANK whose
// magic code is stored behind it.
func blankWithoutMagic(b []byte) bool {
	return int64(binary.BigEndian.Uint32(b)) == int64(len(b)) && zero(b[sizeField:])
}

// zeroAtSectorEnd tells whether b is a record that has its size, and a zero in front of
// the end of a sector. What copies a page to the disk need not begin at its front: it may
// have read the end of it before the record was there, and the front, with the size that
// is written late, when it was. The next sector, or page, went to the disk another time.
func (t *tail) zeroAtSectorEnd(b []byte) bool {
	if recordSize(b) != len(b) {
		return false
	}
	for at := int(sectorSize - t.end%sectorSize); at <= len(b); at += sectorSize {
		if b[at-1] == 0 {
			return true
		}
	}
	return false
}
