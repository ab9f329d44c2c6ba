package mapped

import "math"

// nameDigits is the length of a segment's name.
const nameDigits = 20

// Name is the file name of the segment that starts at offset: 20 digits.
func Name(offset int64) string {
	var b [nameDigits]byte
	v := uint64(max(offset, 0))
	for i := nameDigits - 1; i >= 0; i-- {
		b[i] = byte('0' + v%10)
		v /= 10
	}
	return string(b[:])
}

// ParseName is the offset that a name stands for; false unless the name is what
// Name gives for it.
func ParseName(name string) (int64, bool) {
	if len(name) != nameDigits {
		return 0, false
	}
	offset, numeric, fits := parseDigits(name)
	return offset, numeric && fits
}

// parseDigits reads a name of any length but none: is it all digits, and if so does it
// fit a long, as RocketMQ demands.
func parseDigits(name string) (offset int64, numeric, fits bool) {
	fits = true
	for i := 0; i < len(name); i++ {
		d := int64(name[i]) - '0'
		if d < 0 || d > 9 {
			return 0, false, false
		}
		if fits && offset > (math.MaxInt64-d)/10 {
			fits = false
		}
		if fits {
			offset = offset*10 + d
		}
	}
	if !fits {
		offset = 0
	}
	return offset, true, fits
}
