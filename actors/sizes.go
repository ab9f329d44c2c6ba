package actors

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// firstSize is the size of the first segment found depth directories below dir,
// 0 if there is none. Files of a directory have one size, but for a last one
// that a crash left short, so the first one tells.
func firstSize(fsys mapped.FS, dir string, depth int) (int64, error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		if depth > 0 {
			if !e.IsDir() {
				continue
			}
			if size, err := firstSize(fsys, path, depth-1); err != nil || size > 0 {
				return size, err
			}
			continue
		}
		if _, ok := mapped.ParseName(e.Name()); !ok || e.IsDir() {
			continue
		}
		info, err := fsys.Stat(path)
		if err != nil {
			return 0, err
		}
		if info.Size() > 0 {
			return info.Size(), nil
		}
	}
	return 0, nil
}

// hasLightQueues tells by the directories: whether light queues were enabled
// stands in no file of a store.
func hasLightQueues(fsys mapped.FS, dir string) (bool, error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), record.PrefixLMQ) }), err
}
