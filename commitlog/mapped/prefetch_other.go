//go:build !amd64 && !arm64

package mapped

// Prefetch asks for the cache lines of b where the processor has a way to do so.
func Prefetch([]byte) {}
