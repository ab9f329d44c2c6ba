package mapped_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Prefetch of any range does nothing that can be seen, and does not fault where
// reading would: the file behind the mapping was cut.
func TestPrefetchNeverFaults(t *testing.T) {
	f, err := mapped.OS().OpenFile(filepath.Join(t.TempDir(), "a"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const size = 1 << 20
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	r, err := f.Map(0, size, false)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Unmap()
	if err := f.Truncate(4096); err != nil {
		t.Fatal(err)
	}
	b := r.Bytes()
	for _, n := range []int{0, 1, 63, 64, 65, 4096, 4097, size} {
		mapped.Prefetch(b[:n])
		mapped.Prefetch(b[size-n:])
	}
	mapped.Prefetch(nil)
}

func BenchmarkPrefetch(b *testing.B) {
	p := make([]byte, 1200)
	for b.Loop() {
		mapped.Prefetch(p)
	}
}
