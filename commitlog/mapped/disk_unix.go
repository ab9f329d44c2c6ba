//go:build linux || darwin || freebsd

package mapped

import (
	"errors"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

func diskUsage(name string) (DiskUsage, error) {
	var st unix.Statfs_t
	for {
		err := unix.Statfs(name, &st)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return DiskUsage{}, &fs.PathError{Op: "statfs", Path: name, Err: err}
		}
	}
	unit := int64(st.Bsize)
	return DiskUsage{
		Total: int64(st.Blocks) * unit,
		Used:  int64(st.Blocks-st.Bfree) * unit,
		Free:  max(int64(st.Bavail), 0) * unit, // FreeBSD counts below zero what only root may fill
	}, nil
}

func syncDir(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
