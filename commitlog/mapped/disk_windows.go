package mapped

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

func diskUsage(name string) (DiskUsage, error) {
	path, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return DiskUsage{}, &fs.PathError{Op: "statfs", Path: name, Err: err}
	}
	var avail, total, free uint64
	if err := windows.GetDiskFreeSpaceEx(path, &avail, &total, &free); err != nil {
		return DiskUsage{}, &fs.PathError{Op: "statfs", Path: name, Err: err}
	}
	return DiskUsage{Total: int64(total), Used: int64(total - free), Free: int64(avail)}, nil
}

// syncDir has no counterpart here: NTFS journals its names.
func syncDir(name string) error {
	_, err := os.Lstat(name)
	return err
}
