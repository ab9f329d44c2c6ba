//go:build amd64 || arm64

package mapped

import "unsafe"

// prefetchMax is how much of a range is worth asking for: the processor sees by
// itself that a longer one is read in order.
const prefetchMax = 4096

// Prefetch asks for the cache lines of b, which is about to be read, without
// waiting for them. It never faults, whatever became of the file behind b.
func Prefetch(b []byte) {
	if len(b) > 0 {
		prefetch(unsafe.Pointer(unsafe.SliceData(b)), min(len(b), prefetchMax))
	}
}

//go:noescape
func prefetch(p unsafe.Pointer, n int)
