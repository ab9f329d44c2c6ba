package recoverer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"

	"github.com/actorstore/actorstore/commitlog/record"
)

// sectorSize is what a disk writes whole or not at all.
const sectorSize = 512

// lostWrite tells whether the bad range [end, next) is what a power cut leaves
// of a write that was never answered. Space behind the end of a log of ours is
// zero, so a lost sector reads as zeros; any other damage leaves bytes. If the
// log was written under SYNC_FLUSH, which its mark tells, a unit or index entry
// behind the range proves that it was durable; if not, a page may have gone to
// the disk while a record was encoded in it.
func (t *tail) lostWrite(next int64) bool {
	if !t.plan.Own || t.uncut() || !t.incomplete(next) {
		return false
	}
	if !t.plan.Mark.Sync {
		return true
	}
	behind, err := t.dispatchedBehind(next)
	t.unread = errors.Join(t.unread, err)
	t.witnessed = t.witnessed || behind
	return !behind
}

// incomplete tells whether [end, next) lacks what a write would have brought.
func (t *tail) incomplete(next int64) bool {
	if t.sizeTorn(next) {
		return true
	}
	lacks := t.zeroSector(t.end, next) || !t.plan.Mark.Sync && t.halfEncoded(next)
	return lacks && !t.flipped(next)
}

// flipped tells whether [end, next) is, or begins with, one record with one bit that is
// wrong, which is damage, whatever zeros it has. A byte that is zero may have been lost.
// What cannot be read may be such a record.
func (t *tail) flipped(next int64) (flipped bool) {
	err := t.viewBad(next, func(b []byte) {
		all := b[:t.recordEnd(b, next)]
		at := record.Flipped(all, t.end)
		if one := first(all, t.end); at < 0 && len(one) < len(all) {
			at = record.Flipped(one, t.end)
		}
		flipped = at >= 0 && b[at] != 0
	})
	return flipped || err != nil
}

// viewBad lends the bad range [end, next) if it lies in one segment and may hold anything.
func (t *tail) viewBad(next int64, fn func(b []byte)) error {
	return viewRest(t.in.Log.Reader(), t.end, next, func(b []byte) {
		if len(b) >= record.BlankSize && int64(len(b)) == next-t.end {
			fn(b)
		}
	})
}

// sizeTorn tells whether [end, next) is one record whose size began in a sector that
// was lost, of which it has up to three bytes: they are zero, and the rest of the size
// is what it would be.
func (t *tail) sizeTorn(next int64) (torn bool) {
	lost := sectorSize - t.end%sectorSize
	if lost >= sizeField || next-t.end > math.MaxInt32 {
		return false
	}
	_ = t.viewBad(next, func(b []byte) {
		kept := uint32(1)<<(8*(sizeField-lost)) - 1
		got, want := binary.BigEndian.Uint32(b), uint32(t.recordEnd(b, next))
		if isMagic(b[sizeField:], record.MagicBlank) {
			want = uint32(len(b))
		}
		torn = got == want&kept && got != want
	})
	return torn
}

// recordEnd is where one record that fills b ends, which reaches to next: there, or in
// front of the BLANK of its segment. In the page that went to the disk that one may not
// have been there yet; then it is where the zeros begin.
func (t *tail) recordEnd(b []byte, next int64) int {
	if next%t.in.Log.SegmentSize() != 0 {
		return len(b)
	}
	fill := fillFrom(b, t.end, true)
	if at := fill - record.BlankSize; at >= 0 && isMagic(b[fill-sizeField:fill], record.MagicBlank) {
		return at
	}
	return len(bytes.TrimRight(b, "\x00"))
}

// uncut tells that no power cut has come since the mark: what was written is in the
// page cache, and a process that dies leaves no hole.
func (t *tail) uncut() bool {
	m := t.plan.Mark
	return m.Mounted != 0 && m.Mounted == t.in.FS.Mounted(t.in.Layout.CommitLog())
}

// sizeField is the length of what a record begins with.
const sizeField = 4

// zeroSector looks for a whole sector of zeros in [from, to). The first one may
// hold the end of the record in front; fewer than 4 bytes of it prove nothing,
// as a size begins with zeros. For the same reason the good record behind may
// begin in a lost sector: the sector that holds to is looked at as a whole.
func (t *tail) zeroSector(from, to int64) bool {
	found := false
	size := t.in.Log.SegmentSize()
	to = (to + sectorSize - 1) / sectorSize * sectorSize
	for at := from; at < to && !found; {
		end := min((at/size+1)*size, to)
		err := viewRest(t.in.Log.Reader(), at, end, func(b []byte) { found = hasZeroSector(b[:fillFrom(b, at, end%size == 0)], at) })
		if err != nil {
			return false
		}
		at = end
	}
	return found
}

// fillFrom is where the filler of a segment begins, which is zero by itself:
// behind its BLANK. It is the length of b if there is none. Of one that is damaged,
// where b begins, size or magic still tell; one whose magic was lost with a sector tells
// that its filler is no filler. b stands at offset.
func fillFrom(b []byte, offset int64, toSegmentEnd bool) int {
	if !toSegmentEnd {
		return len(b)
	}
	if len(b) >= record.BlankSize && !magicLost(b, offset) &&
		(int64(binary.BigEndian.Uint32(b)) == int64(len(b)) || isMagic(b[sizeField:], record.MagicBlank)) {
		return record.BlankSize
	}
	magic := binary.BigEndian.AppendUint32(nil, record.MagicBlank)
	for at := 0; ; at++ {
		i := bytes.Index(b[at:], magic)
		if i < 0 {
			return len(b)
		}
		at += i
		if at >= 4 && int64(binary.BigEndian.Uint32(b[at-4:])) == int64(len(b)-at+4) {
			return at + 4
		}
	}
}

// magicLost tells whether a sector ends in or in front of the magic of a BLANK, and what
// stands behind that is zero.
func magicLost(b []byte, offset int64) bool {
	kept := sectorSize - offset%sectorSize
	if kept < sizeField || kept >= record.BlankSize {
		return false
	}
	magic := binary.BigEndian.AppendUint32(nil, record.MagicBlank)
	return bytes.Equal(b[sizeField:kept], magic[:kept-sizeField]) && zero(b[kept:record.BlankSize])
}

// hasZeroSector looks at bytes that stand at a physical offset.
func hasZeroSector(b []byte, offset int64) bool {
	for at := int64(0); at < int64(len(b)); {
		n := sectorSize - (offset+at)%sectorSize
		if at+n > int64(len(b)) {
			return false
		}
		if n >= sizeField && zero(b[at:at+n]) {
			return true
		}
		at += n
	}
	return false
}

func isMagic(b []byte, magic uint32) bool { return binary.BigEndian.Uint32(b) == magic }

func zero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
