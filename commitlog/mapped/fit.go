package mapped

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

const (
	nameMax = 255 // bytes that a file's name may have on the usual disks
	fitTail = 32  // bytes of a long name's end that stay: there stands which file it was
)

// Fit is name+suffix if a disk takes a name of that length. Else the middle of
// name gives way to a part of its hash: the same name is always cut to the same,
// and another one to another.
func Fit(name, suffix string) string {
	if len(name)+len(suffix) <= nameMax {
		return name + suffix
	}
	sum := sha256.Sum256([]byte(name))
	mid := "~" + hex.EncodeToString(sum[:8]) + "~"
	head, tail := max(nameMax-len(suffix)-len(mid)-fitTail, 0), len(name)-fitTail
	for head > 0 && !utf8.RuneStart(name[head]) {
		head--
	}
	for tail < len(name) && !utf8.RuneStart(name[tail]) {
		tail++
	}
	return name[:head] + mid + name[tail:] + suffix
}
