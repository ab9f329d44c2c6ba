package mapped

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// ErrLocked says that another holder has the lock of a file.
var ErrLocked = errors.New("locked by another holder")

// OS returns the file system of the machine.
func OS() FS { return osFS{} }

type osFS struct{}

func (osFS) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &osFile{f: f}, nil
}

// MkdirAll syncs the parent of each directory that it makes, and of no other.
// A directory left by a process that died between the two steps stands without
// that sync; who reopens after an unclean stop may call SyncDir on the parents.
func (o osFS) MkdirAll(name string) error {
	info, err := os.Stat(name)
	if err == nil {
		if info.IsDir() {
			return nil
		}
		return &fs.PathError{Op: "mkdir", Path: name, Err: syscall.ENOTDIR}
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	parent := filepath.Dir(name)
	if parent != name {
		if err := o.MkdirAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(name, 0o755); err != nil {
		// Another goroutine may have been faster; its sync is not ours.
		if info, serr := os.Stat(name); serr != nil || !info.IsDir() {
			return err
		}
	}
	return o.SyncDir(parent)
}

func (osFS) Mkdir(name string) error { return os.Mkdir(name, 0o755) }

func (osFS) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

func (osFS) Stat(name string) (fs.FileInfo, error) { return os.Lstat(name) }

func (osFS) Rename(oldName, newName string) error { return os.Rename(oldName, newName) }

func (osFS) Remove(name string) error { return os.Remove(name) }

func (osFS) SyncDir(name string) error { return syncDir(name) }

func (osFS) SyncFS(name string) error { return syncFS(name) }

func (osFS) Mounted(name string) uint32 { return mounted(name) }

func (osFS) DiskUsage(name string) (DiskUsage, error) { return diskUsage(name) }

// control runs fn with the descriptor of f, which cannot be closed meanwhile,
// and names the call and the file in its error. A call broken off by a signal
// did not fail, it did not finish: it is made again, as package os does.
func control(f *os.File, op string, fn func(fd uintptr) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return &fs.PathError{Op: op, Path: f.Name(), Err: err}
	}
	var failed error
	closed := conn.Control(func(fd uintptr) {
		for {
			if failed = fn(fd); failed != syscall.EINTR {
				return
			}
		}
	})
	switch {
	case closed != nil: // the only reason that a file of os has
		return &fs.PathError{Op: op, Path: f.Name(), Err: fs.ErrClosed}
	case failed != nil:
		return &fs.PathError{Op: op, Path: f.Name(), Err: failed}
	}
	return nil
}
