package checkpoint

import (
	"fmt"
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Prepare makes our directories and removes what a crash left half made in the
// temporary ones. The caller holds the store's lock and no file is being made.
// The directories are synced even where they exist: a process that died right
// after making them may have left them out of the disk's reach.
func Prepare(fsys mapped.FS, layout Layout) error {
	for _, dir := range []string{layout.Tmp(), layout.CommitLogTmp(), layout.Aside()} {
		if err := fsys.MkdirAll(dir); err != nil {
			return fmt.Errorf("make %s: %w", dir, err)
		}
	}
	for _, dir := range []string{layout.Ours(), layout.Root} {
		if err := fsys.SyncDir(dir); err != nil {
			return fmt.Errorf("sync directory %s: %w", dir, err)
		}
	}
	if err := clearDir(fsys, layout.Tmp()); err != nil {
		return err
	}
	return clearDir(fsys, layout.CommitLogTmp())
}

func clearDir(fsys mapped.FS, dir string) error {
	entries, err := fsys.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("list %s: %w", dir, err)
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if e.IsDir() {
			if err := clearDir(fsys, path); err != nil {
				return err
			}
			continue
		}
		if err := fsys.Remove(path); err != nil {
			return fmt.Errorf("remove unfinished file: %w", err)
		}
	}
	return nil
}
