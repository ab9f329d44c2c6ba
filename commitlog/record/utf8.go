package record

import (
	"strings"
	"unicode/utf8"
)

type text interface{ ~string | ~[]byte }

// ToValidUTF8 decodes bytes as Java's decoder does: every maximal malformed
// part becomes one U+FFFD. An encoded surrogate is one part of three bytes,
// where Go and WHATWG see three. Valid input is only converted.
func ToValidUTF8(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	var s strings.Builder
	s.Grow(len(b) + 8)
	for i := 0; i < len(b); {
		r, n := decodeRune(b[i:])
		s.WriteRune(r)
		i += n
	}
	return s.String()
}

// decodeRune is utf8.DecodeRune but for the length of a malformed part.
func decodeRune(b []byte) (rune, int) {
	r, n := utf8.DecodeRune(b)
	if r == utf8.RuneError && n == 1 {
		n = malformed(b)
	}
	return r, n
}

// malformed is the length of the malformed part that b starts with, 1..3.
func malformed(b []byte) int {
	lead := b[0]
	if lead < 0xE0 || lead > 0xF4 || len(b) < 2 || !continues(b[1]) {
		return 1
	}
	second := b[1]
	switch {
	case lead == 0xE0 && second < 0xA0,
		lead == 0xF0 && second < 0x90,
		lead == 0xF4 && second > 0x8F:
		return 1
	}
	if len(b) < 3 || !continues(b[2]) {
		return 2
	}
	return 3
}

func continues(c byte) bool { return c&0xC0 == 0x80 }
