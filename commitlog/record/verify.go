package record

import (
	"fmt"
	"unicode/utf8"
)

// CRCMode says how far Verify goes beyond structure and position.
type CRCMode uint8

// The modes.
const (
	CRCRecord CRCMode = iota // the whole-record checksum if there is one, else the body's
	CRCNone                  // no checksum
)

// Verify makes the four checks of a record that starts at b[0]; b may be longer:
// the magic code, lengths that add up, a physicalOffset that is the given one,
// and a checksum. A checksum of zero is one like any other; an empty body has
// none of its own. It allocates nothing unless it fails, with *CorruptionError:
// Offset is physicalOffset, and Next is behind the record if its lengths held.
func Verify(b []byte, physicalOffset int64, mode CRCMode) error {
	var f frame
	if k := f.parse(b); k != sound {
		return k.corrupt(b, &f, physicalOffset)
	}
	b = b[:f.size]
	if got := int64(be.Uint64(b[atPhysicalOffset:])); got != physicalOffset {
		return f.wrong(physicalOffset, "physicalOffset %d", physicalOffset, got)
	}
	if mode == CRCNone {
		return nil
	}
	props := f.properties(b)
	trailer := isTrailer(props)
	if trailer || likeTrailer(props) || digitsAtEnd(props) {
		cut := f.size - CRCTrailer
		crc := uint32(BodyCRC(b[:cut]))
		switch holds := trailerHolds(b[cut:], crc); {
		case trailer && holds:
			return nil
		case trailer:
			return f.wrong(physicalOffset, "a record checksum with the digits of %d", int64(crc), string(b[cut+trailerDigits:f.size-1]))
		case holds, likeTrailer(props):
			// A trailer whose name is damaged, and perhaps its digits too; nobody
			// has a property like that.
			return f.wrong(physicalOffset, "a checksum trailer of %d bytes", CRCTrailer, fmt.Sprintf("%q", b[cut:]))
		}
	}
	if !utf8.Valid(props) {
		// Every writer encodes properties as UTF-8. Only a checksum over all
		// bytes would allow for something else.
		return f.wrong(physicalOffset, "properties of %d bytes in UTF-8", int64(len(props)), "other bytes")
	}
	if len(props) > 0 && props[len(props)-1] == 0 {
		// Properties end with a separator or with text. Zeros are what a write
		// that was lost leaves, in the place of the checksum, too.
		return f.wrong(physicalOffset, "properties of %d bytes that are written to their end", int64(len(props)), "zeros at their end")
	}
	if f.bodyLen == 0 {
		return nil
	}
	if want, got := BodyCRC(b[f.bodyAt:f.bodyAt+f.bodyLen]), int32(be.Uint32(b[atBodyCRC:])); want != got {
		return f.wrong(physicalOffset, "bodyCRC %d", int64(want), got)
	}
	return nil
}

func (f *frame) wrong(at int64, want string, number int64, got any) error {
	return &CorruptionError{Offset: at, Want: fmt.Sprintf(want, number), Got: fmt.Sprint(got), Next: at + int64(f.size)}
}

// HasRecordCRC reports whether the record that starts at b[0] ends with a
// whole-record checksum; false for anything that is no record.
func HasRecordCRC(b []byte) bool {
	_, ok := CRCProperty(b)
	return ok
}

// CRCProperty is the value of the record's __CRC32# trailer as it is stored: ten
// digits, the least significant first. It aliases b.
func CRCProperty(b []byte) (digits []byte, ok bool) {
	var f frame
	if f.parse(b) != sound {
		return nil, false
	}
	p := f.properties(b)
	if !isTrailer(p) {
		return nil, false
	}
	return p[len(p)-CRCTrailer+trailerDigits : len(p)-1], true
}
