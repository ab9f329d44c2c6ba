package mapped

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func datasync(f *os.File) error {
	return control(f, "fdatasync", func(fd uintptr) error { return unix.Fdatasync(int(fd)) })
}

// writeback does nothing for 0 bytes, which the kernel takes for all.
func writeback(f *os.File, off, n int64) error {
	if n == 0 {
		return nil
	}
	return control(f, "sync_file_range", func(fd uintptr) error {
		return unix.SyncFileRange(int(fd), off, n, unix.SYNC_FILE_RANGE_WRITE)
	})
}

// allocate falls back to a longer file where the file system cannot reserve.
func allocate(f *os.File, off, n int64) error {
	err := control(f, "fallocate", func(fd uintptr) error {
		return unix.Fallocate(int(fd), 0, off, n)
	})
	if errors.Is(err, unix.EOPNOTSUPP) {
		return extend(f, off+n)
	}
	return err
}

func syncFS(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	return control(f, "syncfs", func(fd uintptr) error { return unix.Syncfs(int(fd)) })
}
