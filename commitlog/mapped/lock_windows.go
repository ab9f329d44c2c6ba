package mapped

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

func lockFile(f *os.File) error {
	err := control(f, "lock", func(fd uintptr) error {
		const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
		return windows.LockFileEx(windows.Handle(fd), flags, 0, 1, 0, new(windows.Overlapped))
	})
	if pe, ok := err.(*fs.PathError); ok && pe.Err == windows.ERROR_LOCK_VIOLATION {
		pe.Err = ErrLocked
	}
	return err
}

func unlockFile(f *os.File) {
	_ = control(f, "lock", func(fd uintptr) error {
		return windows.UnlockFileEx(windows.Handle(fd), 0, 1, 0, new(windows.Overlapped))
	})
}
