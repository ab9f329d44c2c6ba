//go:build race

package mappedtest

// The kernel may write a page out, or drop it, while a program stores into it.
// These do what the kernel does, so the race detector is told not to look; the
// loops are spelled out because the builtin copy would report itself.

//go:norace
func peek(dst, src []byte) {
	for i := 0; i < len(dst) && i < len(src); i++ {
		dst[i] = src[i]
	}
}

//go:norace
func same(a, b []byte) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

//go:norace
func wipe(b []byte) {
	for i := 0; i < len(b); i++ {
		b[i] = 0
	}
}
