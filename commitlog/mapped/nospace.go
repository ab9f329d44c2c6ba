package mapped

import (
	"errors"
	"runtime"
	"syscall"
)

// windowsDiskFull is ERROR_DISK_FULL.
const windowsDiskFull syscall.Errno = 112

// NoSpace tells whether an error is for want of room on the disk, or of quota.
func NoSpace(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) ||
		runtime.GOOS == "windows" && errors.Is(err, windowsDiskFull)
}
