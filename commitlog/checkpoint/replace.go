package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// replace puts data under path as a whole or not at all: made in the temporary
// directory, synced, renamed, directory synced (invariant C4). After an error
// path has its old content, or, if only the last sync failed, perhaps the new.
func replace(fsys mapped.FS, layout Layout, path string, data []byte) error {
	if err := fsys.MkdirAll(layout.Tmp()); err != nil {
		return fmt.Errorf("make %s: %w", layout.Tmp(), err)
	}
	tmp := filepath.Join(layout.Tmp(), filepath.Base(path))
	f, err := fsys.OpenFile(tmp, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return fmt.Errorf("create %s: %w", tmp, err)
	}
	if err := writeSync(f, data); err != nil {
		fsys.Remove(tmp)
		return fmt.Errorf("write %s: %w", tmp, err)
	}
	return moveIn(fsys, tmp, path)
}

// moveIn renames a finished file into place and makes its name durable.
func moveIn(fsys mapped.FS, tmp, path string) error {
	if err := fsys.Rename(tmp, path); err != nil {
		fsys.Remove(tmp)
		return fmt.Errorf("rename %s to %s: %w", tmp, path, err)
	}
	return syncDirOf(fsys, path)
}

// writeSync writes a new file's bytes, syncs and closes it.
func writeSync(f mapped.File, data []byte) error {
	_, err := f.WriteAt(data, 0)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// remove takes a file away for good. One that is missing is no error, but another
// removal of it may not be durable yet.
func remove(fsys mapped.FS, path, what string) error {
	if err := fsys.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove %s: %w", what, err)
	}
	return syncDirOf(fsys, path)
}

func syncDirOf(fsys mapped.FS, path string) error {
	dir := filepath.Dir(path)
	if err := fsys.SyncDir(dir); err != nil {
		return fmt.Errorf("sync directory %s: %w", dir, err)
	}
	return nil
}

// readFile reads a whole file of at most limit bytes. nil without an error
// means that it is not there.
func readFile(fsys mapped.FS, path string, limit int64) ([]byte, error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, fmt.Errorf("size of %s: %w", path, err)
	}
	data := make([]byte, min(size, limit))
	if len(data) == 0 {
		return data, nil
	}
	if _, err := f.ReadAt(data, 0); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return data, nil
}
