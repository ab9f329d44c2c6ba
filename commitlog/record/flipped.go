package record

import (
	"bytes"
	"hash/crc32"
	"math"
	"math/bits"
	"unicode/utf8"
)

// Flipped looks for one bit of b that makes it a record as long as b which stands at
// physicalOffset, and gives the index of the byte that holds it; -1 if there is none. If
// it may be one of several it is that of the first. b is one that Verify refuses. It costs
// some checksums over b, and a second at most where it is the properties that are wrong.
func Flipped(b []byte, physicalOffset int64) (at int) {
	if len(b) < minRecord || int64(len(b)) > math.MaxInt32 || bits.OnesCount32(be.Uint32(b)^uint32(len(b))) > 1 {
		return -1
	}
	b = bytes.Clone(b)
	holds := func() bool { return Verify(b, physicalOffset, CRCRecord) == nil }
	if size := be.Uint32(b); size != uint32(len(b)) {
		be.PutUint32(b, uint32(len(b)))
		if !holds() {
			return -1
		}
		return atSize + byteOf(size^uint32(len(b)))
	}
	var f frame
	switch k := f.parse(b); {
	case k == faultMagic, k == faultBlank:
		return anyFlip(b, atMagic, atMagic+4, holds)
	case k != sound:
		whole := func() bool { return f.parse(b) == sound && f.size == len(b) && holds() }
		if at := anyFlip(b, 0, min(maxHeader, len(b)), whole); at >= 0 {
			return at
		}
		return anyFlip(b, max(len(b)-maxTail, 0), len(b), whole)
	case be.Uint64(b[atPhysicalOffset:]) != uint64(physicalOffset):
		return anyFlip(b, atPhysicalOffset, atPhysicalOffset+8, holds)
	}
	return f.flippedInside(b, holds)
}

// The lengths of a record stand in so many bytes at its beginning and at its end.
const (
	maxHeader = minRecord + 2*hostV6
	maxTail   = 2 + MaxRetryTopic + 2 + MaxProperties
)

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
		if at := flippedBefore(b[:cut], b[cut:]); at >= 0 && (at >= cut || f.bodyWrong(b) == 0) {
			return at
		}
		if isTrailer(props) {
			return -1
		}
	}
	if wrong := f.bodyWrong(b); wrong != 0 {
		return f.flippedBody(b, wrong, holds)
	}
	return anyFlip(b, f.propsAt, f.size, func() bool { // of a property no byte is zero
		return bytes.IndexByte(props, 0) < 0 && utf8.Valid(props) && holds()
	})
}

// bodyWrong is by which bits the checksum of the body is wrong. An empty one has none.
func (f *frame) bodyWrong(b []byte) uint32 {
	if f.bodyLen == 0 {
		return 0
	}
	return uint32(BodyCRC(b[f.bodyAt:f.bodyAt+f.bodyLen])) ^ be.Uint32(b[atBodyCRC:])
}

// flippedBody looks for the bit in the body and its checksum.
func (f *frame) flippedBody(b []byte, wrong uint32, holds func() bool) (at int) {
	if bits.OnesCount32(wrong) == 1 {
		be.PutUint32(b[atBodyCRC:], be.Uint32(b[atBodyCRC:])^wrong)
		at = atBodyCRC + byteOf(wrong)
	} else {
		at = flipOne(b, wrong, f.bodyAt, f.bodyAt+f.bodyLen)
	}
	if !holds() {
		return -1
	}
	return at
}

// flippedBefore looks for the bit in the trailer that follows b, and in b, of which it
// is the checksum; there it flips it.
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
	return flipOne(b, uint32(stored)^crc, 0, len(b))
}

// flipOne flips the bit of b[from:to] that makes a difference between two checksums of
// it. What a bit makes depends on how far it is from the end only. A megabyte has as many
// bits as make one of 256 differences by chance: another checksum is to confirm it.
func flipOne(b []byte, wrong uint32, from, to int) (at int) {
	x := uint32(crc32.IEEE)
	for i := 8*to - 1; i >= 8*from; i-- {
		if x&math.MaxInt32 == wrong {
			b[i/8] ^= 1 << (i % 8)
			return i / 8
		}
		x = x>>1 ^ crc32.IEEE&-(x&1)
	}
	return -1
}
