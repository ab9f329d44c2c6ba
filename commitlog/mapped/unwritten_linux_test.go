package mapped_test

import (
	"bytes"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// On ext4 a place that was reserved is unwritten until something was synced there.
func TestUnwritten(t *testing.T) {
	const size, page = 1 << 20, 4096
	dir := t.TempDir()
	f := create(t, mapped.OS(), filepath.Join(dir, "a"), nil)
	defer f.Close()
	must(t, f.Allocate(0, size))
	r, err := f.Map(page, size-page, true)
	must(t, err)
	defer r.Unmap()
	_, err = f.WriteAt(bytes.Repeat([]byte("x"), 3*page), page)
	must(t, err)
	must(t, f.Datasync())
	want := int64(3 * page)
	var st unix.Statfs_t
	if must(t, unix.Statfs(dir, &st)); uint32(st.Type) != unix.EXT4_SUPER_MAGIC {
		want = -1 // nobody is asked
	}
	for _, c := range []struct{ off, n, want int64 }{
		{0, size - page, want}, {0, 3 * page, -1}, {page + 1, page, -1}, {2 * page, 2 * page, want}, {size - 2*page, 1, max(want, -1)},
	} {
		if c.off > 3*page && want >= 0 {
			c.want = c.off
		}
		if at, err := r.Unwritten(c.off, c.n); at != c.want || err != nil {
			t.Errorf("[%d,+%d) is unwritten at %d, %v, want %d", c.off, c.n, at, err, c.want)
		}
	}
	touched := r.Bytes()[5*page] // a page of zeros in memory, which nobody has to write
	if stays, err := r.Drop(3*page, size-4*page); stays != -1 || err != nil || touched != 0 {
		t.Errorf("stays at %d, %v", stays, err)
	}
}
