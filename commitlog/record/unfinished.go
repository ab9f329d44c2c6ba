package record

import "bytes"

// Unfinished reports whether b, which is as long as one record is, holds one that was
// not yet encoded to its end when a part of it was copied: its size is zero, or its magic
// code, its body's checksum, the length or the end of its properties, or a letter or a
// digit of the checksum over all. One flipped bit may make the same, see Flipped.
func Unfinished(b []byte, physicalOffset int64) bool {
	switch {
	case len(b) < minRecord:
		return false
	case be.Uint32(b) == 0:
		return true
	case int64(be.Uint32(b)) != int64(len(b)):
		return false
	case holed(b[atMagic:], MagicV1) || holed(b[atMagic:], MagicV2):
		return true
	}
	var f frame
	if k := f.parse(b); k != sound {
		return b[len(b)-1] == 0 || k == faultSum && f.propsAt > 0 && be.Uint16(b[f.propsAt-2:]) == 0 &&
			filled(b, physicalOffset, func(b []byte) { be.PutUint16(b[f.propsAt-2:], uint16(len(b)-f.propsAt)) })
	}
	crc := uint32(BodyCRC(b[f.bodyAt : f.bodyAt+f.bodyLen]))
	if holed(b[atBodyCRC:], crc) && filled(b, physicalOffset, func(b []byte) { be.PutUint32(b[atBodyCRC:], crc) }) {
		return true
	}
	return endsUnfinished(f.properties(b))
}

// holed tells whether the number that b begins with lacks some of its bytes.
func holed(b []byte, want uint32) bool {
	right := be.AppendUint32(nil, want)
	for i, c := range right {
		if b[i] != c && b[i] != 0 {
			return false
		}
	}
	return !bytes.Equal(b[:len(right)], right)
}

// filled tells whether b is a record once a field is filled in.
func filled(b []byte, physicalOffset int64, fill func(b []byte)) bool {
	b = bytes.Clone(b)
	fill(b)
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
