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

// fileLocked takes the lock for a moment; there is no way to only ask.
func fileLocked(f *os.File) (bool, error) {
	err := lockFile(f)
	if err == nil {
		unlockFile(f)
		return false, nil
	}
	if pe, ok := err.(*fs.PathError); ok && pe.Err == ErrLocked {
		return true, nil
	}
	return false, err
}

func unlockFile(f *os.File) {
	_ = control(f, "lock", func(fd uintptr) error { return unix.Flock(int(fd), unix.LOCK_UN) })
}
