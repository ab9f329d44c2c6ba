package record

import "bytes"

// Unfinished reports whether b, which is as long as one record is, holds one that was
// not yet encoded to its end when a part of it was copied: bytes are zero of its size, its
// magic code, its body's checksum, the length or the end of its properties, or the checksum
// over all. One flipped bit may make the same, see Flipped.
func Unfinished(b []byte, physicalOffset int64) bool {
	switch {
	case len(b) < minRecord:
		return false
	case lacks(b[:4], be.AppendUint32(nil, uint32(len(b)))):
		return true
	case int64(be.Uint32(b)) != int64(len(b)):
		return false
	case lacks(b[atMagic:atMagic+4], be.AppendUint32(nil, MagicV1)), lacks(b[atMagic:atMagic+4], be.AppendUint32(nil, MagicV2)):
		return true
	}
	var f frame
	if k := f.parse(b); k != sound {
		return b[len(b)-1] == 0 || k == faultSum && f.propsAt > 0 &&
			filled(b, f.propsAt-2, be.AppendUint16(nil, uint16(len(b)-f.propsAt)), physicalOffset)
	}
	crc := uint32(BodyCRC(b[f.bodyAt : f.bodyAt+f.bodyLen]))
	return filled(b, atBodyCRC, be.AppendUint32(nil, crc), physicalOffset) || endsUnfinished(f.properties(b))
}

// lacks tells whether some bytes of a field are zero and would be right otherwise.
func lacks(field, right []byte) bool {
	for i, c := range right {
		if field[i] != c && field[i] != 0 {
			return false
		}
	}
	return !bytes.Equal(field, right)
}

// filled tells whether b is a record once the bytes are filled in that a field lacks.
func filled(b []byte, at int, right []byte, physicalOffset int64) bool {
	if !lacks(b[at:at+len(right)], right) {
		return false
	}
	b = bytes.Clone(b)
	copy(b[at:], right)
	return Verify(b, physicalOffset, CRCRecord) == nil
}

// endsUnfinished: properties end with a separator or with text, a checksum over all is
// made of letters and digits.
func endsUnfinished(props []byte) bool {
	n := len(props)
	if n > 0 && props[n-1] == 0 {
		return true
	}
	return n >= CRCTrailer && bytes.IndexByte(props[n-CRCTrailer:], 0) >= 0
}
