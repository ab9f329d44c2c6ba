package mapped

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// CreateFile makes dir/name of exactly size bytes and returns it open for
// reading and writing. It is never seen at another size: prepare sizes it in
// tmpDir (nil: Truncate, that is, a hole), it is synced, renamed into place and
// the entry in dir synced. A leftover of the same name in tmpDir is replaced, a
// file at dir/name never: that is fs.ErrExist, and the caller may adopt it.
// On any error neither name is left behind.
func CreateFile(fsys FS, tmpDir, dir, name string, size int64, prepare func(File) error) (File, error) {
	path, tmp := filepath.Join(dir, name), filepath.Join(tmpDir, name)
	if taken, err := Exists(fsys, path); err != nil {
		return nil, err
	} else if taken {
		return nil, &fs.PathError{Op: "create", Path: path, Err: fs.ErrExist}
	}
	if err := stage(fsys, tmpDir, tmp, size, prepare); err != nil {
		return nil, errors.Join(err, removed(fsys, tmp))
	}
	if err := fsys.Rename(tmp, path); err != nil {
		return nil, errors.Join(err, removed(fsys, tmp))
	}
	if err := fsys.SyncDir(dir); err != nil {
		return nil, errors.Join(err, removed(fsys, path))
	}
	f, err := fsys.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, removed(fsys, path))
	}
	return f, nil
}

// ReplaceFile is CreateFile for a name that is there: the new file takes its place
// with all its bytes durable, or the old one stays.
func ReplaceFile(fsys FS, tmpDir, dir, name string, size int64, prepare func(File) error) error {
	tmp := filepath.Join(tmpDir, name)
	if err := stage(fsys, tmpDir, tmp, size, prepare); err != nil {
		return errors.Join(err, removed(fsys, tmp))
	}
	if err := fsys.Rename(tmp, filepath.Join(dir, name)); err != nil {
		return errors.Join(err, removed(fsys, tmp))
	}
	return fsys.SyncDir(dir)
}

// stage makes the file at tmp with its whole length durable.
func stage(fsys FS, tmpDir, tmp string, size int64, prepare func(File) error) error {
	const flag = os.O_RDWR | os.O_CREATE | os.O_EXCL
	if err := removed(fsys, tmp); err != nil {
		return err
	}
	f, err := fsys.OpenFile(tmp, flag, 0o644)
	if errors.Is(err, fs.ErrNotExist) {
		if err = fsys.MkdirAll(tmpDir); err == nil {
			f, err = fsys.OpenFile(tmp, flag, 0o644)
		}
	}
	if err != nil {
		return err
	}
	return errors.Join(sized(f, size, prepare), f.Close())
}

func sized(f File, size int64, prepare func(File) error) error {
	if prepare == nil {
		prepare = func(f File) error { return f.Truncate(size) }
	}
	if err := prepare(f); err != nil {
		return err
	}
	got, err := f.Size()
	if err != nil {
		return err
	}
	if got != size {
		return wrongSize(f.Name(), 0, size, got)
	}
	return f.Sync()
}

// removed removes name if it is there.
func removed(fsys FS, name string) error {
	if err := fsys.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
