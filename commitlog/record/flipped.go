package record

import (
	"bytes"
	"hash/crc32"
	"math"
	"math/bits"
)

// Flipped looks for one bit of b that makes it a record as long as b which stands at
// physicalOffset, and gives the index of the byte that holds it; -1 if there is none. b
// is one that Verify refuses. The time is linear in len(b), up to a second for the
// longest record.
func Flipped(b []byte, physicalOffset int64) (at int) {
	if len(b) < minRecord || int64(len(b)) > math.MaxInt32 {
		return -1
	}
	b = bytes.Clone(b)
	holds := func() bool { return Verify(b, physicalOffset, CRCRecord) == nil }
	if size := be.Uint32(b); size != uint32(len(b)) {
		be.PutUint32(b, uint32(len(b)))
		wrong := size ^ uint32(len(b))
		if bits.OnesCount32(wrong) > 1 || !holds() {
			return -1
		}
		return atSize + byteOf(wrong)
	}
	var f frame
	switch k := f.parse(b); {
	case k == faultMagic, k == faultBlank:
		return anyFlip(b, atMagic, atMagic+4, holds)
	case k != sound:
		return anyFlip(b, 0, len(b), func() bool { return f.parse(b) == sound && f.size == len(b) && holds() })
	case be.Uint64(b[atPhysicalOffset:]) != uint64(physicalOffset):
		return anyFlip(b, atPhysicalOffset, atPhysicalOffset+8, holds)
	}
	return f.flippedInside(b, holds)
}

// byteOf is the index of the one byte of a number that is not zero.
func byteOf(wrong uint32) int { return bits.LeadingZeros32(wrong) / 8 }

// anyFlip flips one bit of b[from:to] after the other.
func anyFlip(b []byte, from, to int, holds func() bool) (at int) {
	for i := 8 * from; i < 8*to; i++ {
		b[i/8] ^= 1 << (i % 8)
		if holds() {
			return i / 8
		}
		b[i/8] ^= 1 << (i % 8)
	}
	return -1
}

// flippedInside looks at a record whose structure is right.
func (f *frame) flippedInside(b []byte, holds func() bool) (at int) {
	props := f.properties(b)
	if isTrailer(props) || likeTrailer(props) || digitsAtEnd(props) {
		cut := len(b) - CRCTrailer
		if at := flippedBefore(b[:cut], b[cut:]); at >= 0 || isTrailer(props) {
			return at
		}
	}
	if f.bodyLen > 0 {
		body := b[f.bodyAt : f.bodyAt+f.bodyLen]
		wrong := uint32(BodyCRC(body)) ^ be.Uint32(b[atBodyCRC:])
		if bits.OnesCount32(wrong) == 1 {
			return atBodyCRC + byteOf(wrong)
		}
		if wrong != 0 {
			return oneBit(wrong, f.bodyAt, f.bodyAt+f.bodyLen)
		}
	}
	return anyFlip(b, f.propsAt, f.size, func() bool { // of a property no byte is zero
		return bytes.IndexByte(props, 0) < 0 && holds()
	})
}

// flippedBefore looks for the bit in the trailer that follows b, and in b, of which it
// is the checksum.
func flippedBefore(b, trailer []byte) (at int) {
	var right [CRCTrailer]byte
	crc := uint32(BodyCRC(b))
	putTrailer(right[:], crc)
	differ := 0
	for i, c := range trailer {
		if c != right[i] {
			at = len(b) + i
			differ += bits.OnesCount8(c ^ right[i])
		}
	}
	if differ == 1 {
		return at
	}
	stored, place := uint64(0), uint64(1)
	for _, c := range trailer[trailerDigits : CRCTrailer-1] {
		stored += uint64(c-'0') * place
		place *= 10
	}
	if !isTrailer(trailer) || !digitsAtEnd(trailer) || stored > math.MaxInt32 {
		return -1
	}
	return oneBit(uint32(stored)^crc, 0, len(b))
}

// oneBit looks for the bit that makes a difference between two checksums of bytes that
// stand at [from, to). What a bit makes depends on how far it is from the end only.
func oneBit(wrong uint32, from, to int) (at int) {
	x := uint32(crc32.IEEE)
	for i := 8*to - 1; i >= 8*from; i-- {
		if x&math.MaxInt32 == wrong {
			return i / 8
		}
		x = x>>1 ^ crc32.IEEE&-(x&1)
	}
	return -1
}
