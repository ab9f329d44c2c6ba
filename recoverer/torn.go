package recoverer

import (
	"bytes"
	"encoding/binary"
	"math"
	"sort"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
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
	switch {
	case !t.plan.Own, t.uncut():
		return false
	case t.plan.Mark.Sync:
		return (t.zeroSector(t.end, next) || t.sizeTorn(next)) && !t.dispatchedBehind(next)
	}
	return t.zeroSector(t.end, next) || t.halfEncoded(next) || t.sizeTorn(next)
}

// sizeTorn tells whether [end, next) is one record whose size began in a sector that
// was lost, of which it has up to three bytes: they are zero, and the rest of the size
// is what it would be.
func (t *tail) sizeTorn(next int64) (torn bool) {
	lost := sectorSize - t.end%sectorSize
	if lost >= sizeField || next-t.end > math.MaxInt32 {
		return false
	}
	_ = viewRest(t.in.Log.Reader(), t.end, next, func(b []byte) {
		if len(b) < record.BlankSize {
			return
		}
		kept := uint32(1)<<(8*(sizeField-lost)) - 1
		got, want := binary.BigEndian.Uint32(b), uint32(next-t.end)
		torn = got == want&kept && got != want
	})
	return torn
}

// uncut tells that no power cut has come since the mark: what was written is in the
// page cache, and a process that dies leaves no hole.
func (t *tail) uncut() bool {
	m := t.plan.Mark
	return m.Mounted != 0 && m.Mounted == t.in.FS.Mounted(t.in.Layout.CommitLog())
}

// halfEncoded tells whether [end, next) begins with a record that was not yet
// encoded to its end: it has no size, which is written behind the rest, or one and
// no checksum, which comes last, or one and a hole in front of the end of a page. If it is whole but for its size, that is damaged,
// and so is a BLANK, whose size is written first.
func (t *tail) halfEncoded(next int64) (half bool) {
	_ = viewRest(t.in.Log.Reader(), t.end, next, func(b []byte) {
		if half = record.Unfinished(b) || t.caughtByPage(b, next); half {
			return
		}
		if len(b) < record.BlankSize || int64(len(b)) < next-t.end || !zero(b[:sizeField]) || isMagic(b[sizeField:], record.MagicBlank) {
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
	if err != nil || kind != record.KindRecord || int64(size) != next-t.end || size > len(b) {
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

const pageSize = 4096

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
		err := viewRest(t.in.Log.Reader(), at, end, func(b []byte) { found = hasZeroSector(b[:fillFrom(b, end%size == 0)], at) })
		if err != nil {
			return false
		}
		at = end
	}
	return found
}

// fillFrom is where the filler of a segment begins, which is zero by itself:
// behind its BLANK. It is the length of b if there is none. Of one that is damaged,
// where b begins, size or magic still tell.
func fillFrom(b []byte, toSegmentEnd bool) int {
	if !toSegmentEnd {
		return len(b)
	}
	if len(b) >= record.BlankSize && (int64(binary.BigEndian.Uint32(b)) == int64(len(b)) || isMagic(b[sizeField:], record.MagicBlank)) {
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

// dispatchedBehind looks for a good record at or above an offset that a queue or
// the index points at.
func (t *tail) dispatchedBehind(offset int64) bool {
	l := newLookup(t.in)
	if x := t.in.Index; x != nil && x.EndPhyOffset() >= offset && l.whole(x.EndPhyOffset(), t.plan.Limit) {
		return true
	}
	for q := range t.in.Queues.All() {
		_ = q.Load() // damage: what is in front of it still tells
		if q.MaxPhysical() <= offset {
			continue
		}
		var units [largeWindow]consumequeue.Unit
		n, _ := q.Read(max(lastBelow(q, offset)+1, q.MinOffset()), units[:])
		for i := range units[:n] {
			if l.backs(&units[i], q.Topic(), q.ID(), t.plan.Limit) {
				return true
			}
		}
	}
	return false
}

// lastUnit reads the last unit of a queue.
func lastUnit(q *consumequeue.Queue) (consumequeue.Unit, bool) {
	var one [1]consumequeue.Unit
	if q.MaxOffset() <= q.MinOffset() {
		return one[0], false
	}
	n, err := q.Read(q.MaxOffset()-1, one[:])
	return one[0], n == 1 && err == nil
}

// lastBelow is the queue offset of the last unit whose record starts below a
// physical offset; -1 if there is none.
func lastBelow(q *consumequeue.Queue, physical int64) int64 {
	lo := q.MinOffset()
	n := int(q.MaxOffset() - lo)
	var one [1]consumequeue.Unit
	i := sort.Search(n, func(i int) bool {
		k, err := q.Read(lo+int64(i), one[:])
		return err != nil || k == 0 || one[0].PhysicalOffset >= physical
	})
	if i == 0 {
		return -1
	}
	return lo + int64(i) - 1
}
