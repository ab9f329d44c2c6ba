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
			if e := m.Data(0); tells(t, path) && e.From != size {
				t.Errorf("data at %d of an empty file", e.From)
			}
			m.Bytes()[3<<20] = 1
			_, err = f.WriteAt([]byte{2}, 5<<20+4095)
			must(t, err)
			outside := bytes.Clone(m.Bytes())
			for at := int64(0); at < size; {
				e := m.Data(at)
				if e.From < at || e.To < e.From || e.To > size {
					t.Fatalf("%+v behind %d", e, at)
				}
				clear(outside[e.From:e.To])
				at = max(e.To, e.From)
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
	e := m.Data(0)
	if e.From > 40<<20 || e.To <= 40<<20 {
		t.Fatalf("%+v does not hold the byte that was written", e)
	}
	// The kernel may have brought in pages around it, which count, too.
	if tells(t, path) && (e.To-e.From > 16<<20 || m.Data(e.To).From != size) {
		t.Errorf("data is %+v, then %+v", e, m.Data(e.To))
	}
}

func tells(t *testing.T, path string) bool {
	var st unix.Statfs_t
	must(t, unix.Statfs(path, &st))
	return st.Type == unix.EXT4_SUPER_MAGIC || st.Type == unix.XFS_SUPER_MAGIC || st.Type == unix.TMPFS_MAGIC
}
