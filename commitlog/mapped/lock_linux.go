package mapped

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// Open file description locks meet the POSIX locks of other processes (the Java
// engine's) and, unlike those, other opens in this process; flock does neither.
func byteZero() *unix.Flock_t {
	return &unix.Flock_t{Type: unix.F_WRLCK, Whence: 0, Start: 0, Len: 1}
}

func lockFile(f *os.File) error {
	err := control(f, "lock", func(fd uintptr) error {
		return unix.FcntlFlock(fd, unix.F_OFD_SETLK, byteZero())
	})
	if pe, ok := err.(*fs.PathError); ok && (pe.Err == unix.EAGAIN || pe.Err == unix.EACCES) {
		pe.Err = ErrLocked
	}
	return err
}

func fileLocked(f *os.File) (bool, error) {
	lock := byteZero()
	err := control(f, "lock", func(fd uintptr) error {
		return unix.FcntlFlock(fd, unix.F_OFD_GETLK, lock)
	})
	return err == nil && lock.Type != unix.F_UNLCK, err
}

func unlockFile(f *os.File) {
	lock := byteZero()
	lock.Type = unix.F_UNLCK
	_ = control(f, "lock", func(fd uintptr) error {
		return unix.FcntlFlock(fd, unix.F_OFD_SETLK, lock)
	})
}
