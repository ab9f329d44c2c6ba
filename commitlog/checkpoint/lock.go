package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// lockContent is what RocketMQ writes into its lock file.
const lockContent = "lock"

// LockedError says that another process, or another Open in this one, is using
// the store. errors.Is finds mapped.ErrLocked in it.
type LockedError struct {
	Path string // the lock file
}

// Error says what to do.
func (e *LockedError) Error() string {
	return fmt.Sprintf("store is in use: %s is locked by another process or by another open store in this one; "+
		"stop it first (the file itself may stay, only the lock counts)", e.Path)
}

// Unwrap makes errors.Is(err, mapped.ErrLocked) true.
func (e *LockedError) Unwrap() error { return mapped.ErrLocked }

// StoreLock is the right to change a store. It ends with Unlock or with the
// process.
type StoreLock struct {
	file mapped.File
}

// Lock takes the store's lock without waiting. The directory must exist; the
// file is created when missing. *LockedError if somebody has it: then not a byte
// of the store has been changed.
func Lock(fsys mapped.FS, path string) (*StoreLock, error) {
	f, err := fsys.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open lock file: %w", err)
	}
	taken := false
	defer func() {
		if !taken { // also where a call panics: nobody else could give it back
			f.Close()
		}
	}()
	if err := f.Lock(); err != nil {
		if errors.Is(err, mapped.ErrLocked) {
			return nil, &LockedError{Path: path}
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	if err := writeLockContent(f); err != nil {
		return nil, fmt.Errorf("write lock file %s: %w", path, err)
	}
	taken = true
	return &StoreLock{file: f}, nil
}

// writeLockContent leaves the file as RocketMQ does. Nothing depends on the
// bytes, so they are not synced; and a file that has them is left alone.
func writeLockContent(f mapped.File) error {
	size, err := f.Size()
	if err != nil {
		return err
	}
	have := make([]byte, len(lockContent))
	if size == int64(len(have)) {
		if _, err := f.ReadAt(have, 0); err != nil {
			return err
		}
		if string(have) == lockContent {
			return nil
		}
	}
	if _, err := f.WriteAt([]byte(lockContent), 0); err != nil {
		return err
	}
	return f.Truncate(int64(len(lockContent)))
}

// Unlock gives the lock back; the file stays. A second call does nothing.
func (l *StoreLock) Unlock() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

// IsLocked tells whether a process is using the store. It takes no lock and
// creates nothing; a missing file is an unused store.
func IsLocked(fsys mapped.FS, path string) (bool, error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("open lock file: %w", err)
	}
	defer f.Close()
	locked, err := f.Locked()
	if err != nil {
		return false, fmt.Errorf("test lock %s: %w", path, err)
	}
	return locked, nil
}
