package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// byteSize is a flag for a number of bytes, such as 65536, 64k or 1GiB. Units
// are powers of 1024.
type byteSize int64

var sizeUnits = []struct {
	name  string
	bytes int64
}{{"g", 1 << 30}, {"m", 1 << 20}, {"k", 1 << 10}}

// Set reads the value.
func (s *byteSize) Set(text string) error {
	number, factor := strings.ToLower(strings.TrimSpace(text)), int64(1)
	number = strings.TrimSuffix(strings.TrimSuffix(number, "b"), "i")
	for _, u := range sizeUnits {
		if cut, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = cut, u.bytes
			break
		}
	}
	n, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || n < 1 || n > math.MaxInt64/factor {
		return errors.New("want bytes, as in 65536, 64KiB or 1GiB")
	}
	*s = byteSize(n * factor)
	return nil
}

// String is the value, empty for none.
func (s *byteSize) String() string {
	if *s == 0 {
		return ""
	}
	return strconv.FormatInt(int64(*s), 10)
}

// Type names the value in the help.
func (s *byteSize) Type() string { return "bytes" }

// bytesText is a number of bytes for people.
func bytesText(n int64) string {
	for _, u := range sizeUnits {
		if n >= u.bytes {
			text := strconv.FormatFloat(float64(n)/float64(u.bytes), 'f', 1, 64)
			return strings.TrimSuffix(text, ".0") + " " + strings.ToUpper(u.name) + "iB"
		}
	}
	return strconv.FormatInt(n, 10) + " B"
}

// countText groups the digits of a number for people: 1,234,567.
func countText(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// counted is a number of things for people: 1 file, 2 files.
func counted(n int64, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return countText(n) + " " + thing
}
