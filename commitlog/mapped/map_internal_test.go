package mapped

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// M5: the range of a system call is the pages of the bytes asked for, no more.
func TestPages(t *testing.T) {
	page := pageSize
	f, err := OS().OpenFile(filepath.Join(t.TempDir(), "a"), os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := 3*page + 100
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	m, err := f.Map(0, size, true)
	if err != nil {
		t.Fatal(err)
	}
	r := m.(*osRegion)
	for _, c := range []struct{ off, n, from, to int64 }{
		{0, 1, 0, page},
		{0, page, 0, page},
		{0, page + 1, 0, 2 * page},
		{page - 1, 2, 0, 2 * page},
		{page, 1, page, 2 * page},
		{2 * page, page, 2 * page, 3 * page},
		{3*page + 50, 50, 3 * page, size},
		{0, size, 0, size},
	} {
		b, err := r.pages("msync", c.off, c.n)
		if err != nil {
			t.Fatal(err)
		}
		from := int64(address(b) - address(r.bytes))
		if from != c.from || from+int64(len(b)) != c.to {
			t.Errorf("pages(%d, %d) = [%d, %d), want [%d, %d)", c.off, c.n, from, from+int64(len(b)), c.from, c.to)
		}
	}
	if b, err := r.pages("msync", page, 0); len(b) != 0 || err != nil {
		t.Errorf("no bytes: %d %v", len(b), err)
	}
	if _, err := r.pages("msync", size, 1); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("behind the end: %v", err)
	}
	if len(known.m) == 0 {
		t.Error("the region is not known to Guard")
	}
	if err := r.Unmap(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.pages("msync", 0, 1); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("unmapped: %v", err)
	}
	if known.find(address(r.bytes)) != nil {
		t.Error("an unmapped region is still known")
	}
}
