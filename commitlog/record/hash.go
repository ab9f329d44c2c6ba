package record

import "unicode/utf8"

// JavaHash is Java's String.hashCode of the text: over its UTF-16 units, in
// 32-bit wrap. Malformed UTF-8 counts as Java decodes it, see ToValidUTF8.
func JavaHash[T text](s T) int32 { return JavaHashFrom(0, s) }

// JavaHashFrom goes on with s where a hash of the text in front of it ended, so
// that "topic#key" can be hashed without being put together.
func JavaHashFrom[T text](h int32, s T) int32 {
	i := 0
	for ; i+4 <= len(s); i += 4 {
		a, b, c, d := s[i], s[i+1], s[i+2], s[i+3]
		if (a|b|c|d)&0x80 != 0 {
			break
		}
		// Four steps of h = 31h + c at once shorten the chain of multiplications.
		h = h*(31*31*31*31) + int32(a)*(31*31*31) + int32(b)*(31*31) + int32(c)*31 + int32(d)
	}
	for ; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return hashWide(h, s[i:])
		}
		h = h*31 + int32(s[i])
	}
	return h
}

// hashWide hashes text that is not all ASCII.
func hashWide[T text](h int32, s T) int32 {
	var window [4]byte // the longest character; a string need not be copied whole
	for len(s) > 0 {
		r, n := decodeRune(window[:copy(window[:], s)])
		s = s[n:]
		if r >= 0x10000 {
			r -= 0x10000
			h = h*31 + 0xD800 + r>>10
			r = 0xDC00 + r&0x3FF
		}
		h = h*31 + r
	}
	return h
}

// TagsCode is what goes into the queue unit for a tag: 0 for none, else the
// Java hash, sign-extended. Different tags can have one code.
func TagsCode[T text](tags T) int64 { return int64(JavaHash(tags)) }
