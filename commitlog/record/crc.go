package record

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"math/bits"
)

// BodyCRC is the checksum of RocketMQ: CRC-32 (IEEE) with the top bit cleared.
func BodyCRC(b []byte) int32 { return int32(crc32.ChecksumIEEE(b) & 0x7FFFFFFF) }

// The fixed bytes of the trailer: the name and 0x01 in front of the ten digits,
// 0x02 behind them.
const (
	trailerName   = PropertyCRC + "\x01"
	trailerDigits = len(trailerName)
	trailerWord   = uint64('_')<<56 | uint64('_')<<48 | uint64('C')<<40 | uint64('R')<<32 |
		uint64('C')<<24 | uint64('3')<<16 | uint64('2')<<8 | uint64('#')
)

// putTrailer writes the 20 bytes of the whole-record checksum: its decimal
// digits run from the least significant one and are filled up with '0'. They come
// last: each has more than one bit that a page lacks which goes to the disk meanwhile.
func putTrailer(b []byte, crc uint32) {
	_ = b[CRCTrailer-1]
	binary.BigEndian.PutUint64(b, trailerWord)
	b[8], b[CRCTrailer-1] = nameEnd, itemEnd
	for i := range 10 {
		b[trailerDigits+i] = byte('0' + crc%10)
		crc /= 10
	}
}

// isTrailer reports whether property bytes end with a checksum trailer.
func isTrailer(props []byte) bool {
	n := len(props) - CRCTrailer
	return n >= 0 && be.Uint64(props[n:]) == trailerWord && props[n+8] == nameEnd && props[n+CRCTrailer-1] == itemEnd
}

// likeTrailer reports whether property bytes end with what may be a damaged trailer:
// of its ten fixed bytes at most three differ, or five in front of ten digits; or half
// of its name stands, and most of the rest is as it should be; or it is wiped.
func likeTrailer(props []byte) bool {
	n := len(props) - CRCTrailer
	if n < 0 {
		return false
	}
	t := props[n:]
	if !likeName(t) {
		return wiped(props, n)
	}
	name, fixed, digits := 0, 0, 0
	for i, c := range t {
		switch {
		case i < trailerDigits-1 && c == trailerName[i]:
			name++
			fixed++
		case i == trailerDigits-1 && c == nameEnd, i == CRCTrailer-1 && c == itemEnd:
			fixed++
		case i >= trailerDigits && (c >= '0' && c <= '9' || c == 0): // or it was lost
			digits++
		}
	}
	return fixed >= 7 || fixed >= 5 && digitsAtEnd(props) || name >= 4 && fixed+digits >= 12
}

// wiped reports whether the front of the trailer that begins at props[n] is zero, as where
// the page in front was lost, and the rest, and what is in front, is what it should be.
func wiped(props []byte, n int) bool {
	rest := bytes.TrimLeft(props[n:], "\x00")
	return len(rest) > 0 && len(rest) <= CRCTrailer-trailerDigits && (n == 0 || props[n-1] == itemEnd) &&
		len(bytes.Trim(rest[:len(rest)-1], "0123456789")) == 0 && rest[len(rest)-1] == itemEnd
}

// likeName reports whether at least three of the eight bytes of the name stand at the
// beginning of what may be a trailer. With less it is none, and most records have none.
func likeName(t []byte) bool {
	const low = 0x7f7f7f7f7f7f7f7f
	differ := be.Uint64(t) ^ trailerWord
	same := ^((differ&low + low) | differ | low) // the top bit of each byte that is the same
	return bits.OnesCount64(same) >= 3
}

// digitsAtEnd reports whether property bytes end with a value that may be the
// digits of a trailer whose name was overwritten.
func digitsAtEnd(props []byte) bool {
	n := len(props) - CRCTrailer
	if n < 0 || props[len(props)-1] != itemEnd {
		return false
	}
	for _, c := range props[n+trailerDigits : len(props)-1] {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// trailerHolds reports whether the ten digits of the trailer t are those of crc.
func trailerHolds(t []byte, crc uint32) bool {
	ok := true
	for i := range 10 {
		ok = ok && t[trailerDigits+i] == byte('0'+crc%10)
		crc /= 10
	}
	return ok
}
