package record

import "math"

// parseInt is Java's parseShort, parseInt and parseLong over ASCII digits: an
// optional sign, digits, and a value that fits the given number of bits.
func parseInt(b []byte, bits int) (int64, bool) {
	neg := false
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		neg, b = b[0] == '-', b[1:]
	}
	if len(b) == 0 {
		return 0, false
	}
	limit := uint64(1) << (bits - 1) // size of the most negative value
	if !neg {
		limit--
	}
	n := uint64(0)
	for _, c := range b {
		if c < '0' || c > '9' || n > math.MaxInt64/10+1 {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
		if n > limit {
			return 0, false
		}
	}
	if neg {
		return -int64(n), true
	}
	return int64(n), true
}
