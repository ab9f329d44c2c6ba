package mapped

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// fiemapCall is FS_IOC_FIEMAP, which golang.org/x/sys lacks; linux/fiemap.h has
// the structures.
const (
	fiemapCall      = 0xC020660B
	fiemapLast      = 1 << 0
	fiemapUnwritten = 1 << 11
)

type fiemapExtent struct {
	logical, physical, length uint64
	_                         [2]uint64
	flags                     uint32
	_                         [3]uint32
}

type fiemap struct {
	start, length                uint64
	flags, mapped, count, unused uint32
	extents                      [128]fiemapExtent
}

// Unwritten asks ext4 only: it alone is known to believe in memory that a place
// is written when on the disk it is not.
func (r *osRegion) Unwritten(off, n int64) (at int64, err error) {
	at = -1
	err = r.unwritten(off, n, func(from, _ int64) bool {
		at = from
		return false
	})
	return at, err
}

func (r *osRegion) Drop(off, n int64) (stays int64, err error) {
	b, err := r.pages("madvise", off, n)
	if err != nil || len(b) == 0 {
		return -1, err
	}
	if err := r.call("madvise", func() error { return unix.Madvise(b, unix.MADV_DONTNEED) }); err != nil {
		return -1, err
	}
	start := r.off + off&^(pageSize-1)
	err = control(r.f, "fadvise", func(fd uintptr) error {
		return unix.Fadvise(int(fd), start, int64(len(b)), unix.FADV_DONTNEED)
	})
	if err != nil {
		return -1, err
	}
	stays = -1
	err = r.unwritten(off, n, func(from, to int64) bool {
		stays, err = r.resident(from, to)
		return stays < 0 && err == nil
	})
	return stays, err
}

// unwritten visits the unwritten ranges of [off, off+n), in order.
func (r *osRegion) unwritten(off, n int64, visit func(from, to int64) bool) error {
	if _, err := r.pages("fiemap", off, n); err != nil {
		return err
	}
	at, end := r.off+off, r.off+off+n
	more := true
	return control(r.f, "fiemap", func(fd uintptr) error {
		var st unix.Statfs_t
		if unix.Fstatfs(int(fd), &st) != nil || uint32(st.Type) != unix.EXT4_SUPER_MAGIC {
			return nil
		}
		var m fiemap
		for more && at < end {
			m.start, m.length, m.count = uint64(at), uint64(end-at), uint32(len(m.extents))
			switch _, _, e := unix.Syscall(unix.SYS_IOCTL, fd, fiemapCall, uintptr(unsafe.Pointer(&m))); e {
			case 0:
			case unix.EOPNOTSUPP, unix.ENOTTY:
				return nil
			default:
				return e
			}
			if m.mapped == 0 {
				return nil
			}
			for _, x := range m.extents[:m.mapped] {
				from, to := max(int64(x.logical), at), min(int64(x.logical+x.length), end)
				if more && x.flags&fiemapUnwritten != 0 && from < to {
					more = visit(from-r.off, to-r.off)
				}
				at = max(at, int64(x.logical+x.length))
				more = more && x.flags&fiemapLast == 0
			}
		}
		return nil
	})
}

// resident is the first position of [from, to) whose page is in memory, -1 if
// none is.
func (r *osRegion) resident(from, to int64) (int64, error) {
	b, err := r.pages("mincore", from, to-from)
	if err != nil || len(b) == 0 {
		return -1, err
	}
	in := make([]byte, (int64(len(b))+pageSize-1)/pageSize)
	err = r.call("mincore", func() error {
		_, _, e := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)), uintptr(unsafe.Pointer(&in[0])))
		if e != 0 {
			return e
		}
		return nil
	})
	if err != nil {
		return -1, err
	}
	for i, v := range in {
		if v&1 != 0 {
			return from&^(pageSize-1) + int64(i)*pageSize, nil
		}
	}
	return -1, nil
}
