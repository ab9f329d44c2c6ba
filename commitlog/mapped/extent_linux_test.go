package mapped_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Whatever is outside the extents is zero, also what was written a moment ago,
// through the map or not, into a file that is a hole or allocated; and where the
// file system is one that tells, most of an empty file is outside.
func TestData(t *testing.T) {
	const size = 8 << 20
	for name, prepare := range map[string]func(mapped.File) error{
		"hole":      func(f mapped.File) error { return f.Truncate(size) },
		"allocated": func(f mapped.File) error { return f.Allocate(0, size) },
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "f")
			f, err := mapped.OS().OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
			must(t, err)
			must(t, prepare(f))
			m, err := mapped.MapFile(f, 0, size, false)
			must(t, err)
			defer m.Retire()
			if e := m.Extents(0, size); tells(t, path) && len(e) > 0 {
				t.Errorf("data of an empty file: %v", e)
			}
			m.Bytes()[3<<20] = 1
			_, err = f.WriteAt([]byte{2}, 5<<20+4095)
			must(t, err)
			outside := bytes.Clone(m.Bytes())
			at := int64(0)
			for _, e := range m.Extents(0, size) {
				if e.From < at || e.To <= e.From || e.To > size {
					t.Fatalf("%+v behind %d", e, at)
				}
				clear(outside[e.From:e.To])
				at = e.To
			}
			if n := len(bytes.Trim(outside, "\x00")); n > 0 {
				t.Errorf("%d bytes outside all extents are not zero", n)
			}
		})
	}
}

// The pages of a mapping that were written last are data.
func TestDataIsNotOnDiskYet(t *testing.T) {
	const size = 64 << 20
	path := filepath.Join(t.TempDir(), "f")
	f, err := mapped.OS().OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	must(t, err)
	must(t, f.Allocate(0, size))
	m, err := mapped.MapFile(f, 0, size, false)
	must(t, err)
	defer m.Retire()
	m.Bytes()[40<<20] = 1
	var data int64
	held := false
	for _, e := range m.Extents(0, size) {
		held = held || e.From <= 40<<20 && e.To > 40<<20
		data += e.To - e.From
	}
	if !held {
		t.Errorf("no extent holds the byte that was written: %v", m.Extents(0, size))
	}
	// The kernel may have brought in pages around it, which count, too.
	if tells(t, path) && data > 16<<20 {
		t.Errorf("%d bytes of data", data)
	}
	if e := m.Extents(41<<20, 41<<20); len(e) != 0 {
		t.Errorf("nothing asked, got %v", e)
	}
	if e := m.Extents(39<<20, 40<<20+1); len(e) != 1 || e[0].From < 39<<20 || e[0].To != 40<<20+1 {
		t.Errorf("extents %v in a range that ends with the byte", e)
	}
}

func tells(t *testing.T, path string) bool {
	var st unix.Statfs_t
	must(t, unix.Statfs(path, &st))
	return st.Type == unix.EXT4_SUPER_MAGIC || st.Type == unix.XFS_SUPER_MAGIC || st.Type == unix.TMPFS_MAGIC
}

// A file system that is not known to look into the page cache is not asked: all of
// the file counts as data. Nor does a closed file tell anything.
func TestDataIsNotTold(t *testing.T) {
	const size = 1 << 20
	f, err := mapped.OS().OpenFile("/proc/self/status", os.O_RDONLY, 0)
	must(t, err)
	closed := create(t, mapped.OS(), filepath.Join(t.TempDir(), "f"), nil)
	must(t, closed.Truncate(size))
	must(t, closed.Close())
	for _, f := range []mapped.File{f, f, closed} { // asked again, too
		if e := mapped.ExtentsOf(f, 5, size, size); len(e) != 1 || e[0] != (mapped.Extent{From: 5, To: size}) {
			t.Errorf("%s: %v", f.Name(), e)
		}
	}
	must(t, f.Close())
}
