package record

import (
	"bytes"
	"hash/crc32"
	"math"
	"math/bits"
)

// Flipped reports whether b, which Verify refuses, is one bit away from a record as long
// as b that stands at physicalOffset. It takes time that is linear in len(b), about a
// second for the longest record.
func Flipped(b []byte, physicalOffset int64) bool {
	if len(b) < minRecord || int64(len(b)) > math.MaxInt32 || bits.OnesCount32(be.Uint32(b)^uint32(len(b))) > 1 {
		return false
	}
	b = bytes.Clone(b)
	holds := func() bool { return Verify(b, physicalOffset, CRCRecord) == nil }
	var f frame
	switch k := f.parse(b); {
	case be.Uint32(b) != uint32(len(b)):
		be.PutUint32(b, uint32(len(b)))
		return holds()
	case k == faultMagic, k == faultBlank:
		return anyFlip(b[atMagic:atMagic+4], holds)
	case k != sound:
		return anyFlip(b, func() bool { return f.parse(b) == sound && holds() })
	case be.Uint64(b[atPhysicalOffset:]) != uint64(physicalOffset):
		return anyFlip(b[atPhysicalOffset:atPhysicalOffset+8], holds)
	}
	return f.flippedInside(b, holds)
}

// anyFlip flips one bit of b after the other.
func anyFlip(b []byte, holds func() bool) bool {
	for i := range 8 * len(b) {
		b[i/8] ^= 1 << (i % 8)
		if holds() {
			return true
		}
		b[i/8] ^= 1 << (i % 8)
	}
	return false
}

// flippedInside looks at a record whose structure is right.
func (f *frame) flippedInside(b []byte, holds func() bool) bool {
	props := f.properties(b)
	if isTrailer(props) || likeTrailer(props) || digitsAtEnd(props) {
		cut := len(b) - CRCTrailer
		if found := flippedBefore(b[:cut], b[cut:]); found || isTrailer(props) {
			return found
		}
	}
	if f.bodyLen > 0 {
		body := b[f.bodyAt : f.bodyAt+f.bodyLen]
		wrong := uint32(BodyCRC(body)) ^ be.Uint32(b[atBodyCRC:])
		if wrong != 0 {
			return bits.OnesCount32(wrong) == 1 || oneBit(len(body), wrong)
		}
	}
	return anyFlip(props, func() bool { // of a property no byte is zero
		return bytes.IndexByte(props, 0) < 0 && holds()
	})
}

// flippedBefore tells whether the one bit is in the trailer or in what it is the checksum of.
func flippedBefore(b, trailer []byte) bool {
	var right [CRCTrailer]byte
	crc := uint32(BodyCRC(b))
	putTrailer(right[:], crc)
	differ := 0
	for i, c := range trailer {
		differ += bits.OnesCount8(c ^ right[i])
	}
	if differ == 1 {
		return true
	}
	stored, place := uint64(0), uint64(1)
	for _, c := range trailer[trailerDigits : CRCTrailer-1] {
		stored += uint64(c-'0') * place
		place *= 10
	}
	return isTrailer(trailer) && digitsAtEnd(trailer) && stored <= 0x7FFFFFFF && oneBit(len(b), uint32(stored)^crc)
}

// oneBit tells whether one bit of n bytes makes the difference between two checksums of
// them. What a bit makes depends on how far it stands in front of the end only.
func oneBit(n int, wrong uint32) bool {
	for i, x := 0, uint32(crc32.IEEE); i < 8*n; i++ {
		if x&0x7FFFFFFF == wrong {
			return true
		}
		x = x>>1 ^ crc32.IEEE&-(x&1)
	}
	return false
}
