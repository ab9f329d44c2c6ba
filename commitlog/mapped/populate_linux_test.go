package mapped

import (
	"os"
	"path/filepath"
	"testing"
)

// A kernel without MADV_POPULATE (before 5.14) gets the older advice.
func TestPopulateOnOldKernels(t *testing.T) {
	defer noPopulate.Store(noPopulate.Swap(true))
	f, err := OS().OpenFile(filepath.Join(t.TempDir(), "a"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(1 << 16); err != nil {
		t.Fatal(err)
	}
	r, err := f.Map(0, 1<<16, true)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Unmap()
	for _, write := range []bool{false, true} {
		if err := r.Populate(5000, 5000, write); err != nil {
			t.Errorf("write %v: %v", write, err)
		}
	}
	if r.Bytes()[6000] != 0 {
		t.Error("populating wrote something")
	}
}
