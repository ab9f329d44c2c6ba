package mapped

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// Where no space can be reserved a file gets longer, never shorter.
func TestExtend(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "a"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]int64{{100, 100}, {40, 100}, {0, 100}, {5000, 5000}} {
		if err := extend(f, c[0]); err != nil {
			t.Fatal(err)
		}
		if info, err := f.Stat(); err != nil || info.Size() != c[1] {
			t.Errorf("extended to %d: %v %v", c[0], info.Size(), err)
		}
	}
	_ = f.Close()
	if err := extend(f, 9000); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("a closed file: %v", err)
	}
}
