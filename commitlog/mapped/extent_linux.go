package mapped

import (
	"golang.org/x/sys/unix"
)

// Whether a file's holes are believed: not yet asked, yes, no.
const (
	holesUnknown = iota
	holesTold
	holesHidden
)

// tellsHoles names file systems whose lseek looks into the page cache, so that a
// page which was written and is not on disk yet is no hole. Others are not asked:
// some have called such a page a hole.
func tellsHoles(fd int) bool {
	var st unix.Statfs_t
	if unix.Fstatfs(fd, &st) != nil {
		return false
	}
	switch uint32(st.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC:
		return true
	}
	return false
}

// extent moves the cursor of the open file, which nobody uses.
func (f *osFile) extent(off, size int64) (e Extent, ok bool) {
	err := control(f.f, "lseek", func(fd uintptr) error {
		if f.holes.Load() == holesUnknown {
			told := int32(holesHidden)
			if tellsHoles(int(fd)) {
				told = holesTold
			}
			f.holes.Store(told)
		}
		if f.holes.Load() == holesHidden {
			return unix.ENOTSUP
		}
		from, err := unix.Seek(int(fd), off, unix.SEEK_DATA)
		if err == unix.ENXIO { // no data behind, or no file
			e = Extent{size, size}
			return nil
		}
		if err != nil {
			return err
		}
		// Another goroutine may move the cursor in between: positions are given.
		to, err := unix.Seek(int(fd), from, unix.SEEK_HOLE)
		e = Extent{min(from, size), min(to, size)}
		return err
	})
	if err == nil && e.To == size {
		// A file that was cut behind its mapping ends in pages that fault.
		has, err := f.Size()
		return e, err == nil && has >= size
	}
	return e, err == nil && e.From >= off && e.To > e.From
}
