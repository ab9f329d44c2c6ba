//go:build darwin || freebsd || windows

package mapped

import (
	"io/fs"
	"os"
)

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
