//go:build darwin || freebsd

package mapped

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

func lockFile(f *os.File) error {
	err := control(f, "lock", func(fd uintptr) error {
		return unix.Flock(int(fd), unix.LOCK_EX|unix.LOCK_NB)
	})
	if pe, ok := err.(*fs.PathError); ok && pe.Err == unix.EWOULDBLOCK {
		pe.Err = ErrLocked
	}
	return err
}

func unlockFile(f *os.File) {
	_ = control(f, "lock", func(fd uintptr) error { return unix.Flock(int(fd), unix.LOCK_UN) })
}
