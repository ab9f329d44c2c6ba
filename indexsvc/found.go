package indexsvc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// FoundGeometry is that of the newest index file in a directory that shows one;
// false if none does. Whoever opens the store goes on with it, as RocketMQ with
// the settings that made it would.
func FoundGeometry(fsys mapped.FS, dir string) (Geometry, bool, error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Geometry{}, false, nil
	}
	if err != nil {
		return Geometry{}, false, err
	}
	for _, e := range slices.Backward(entries) {
		if !e.Type().IsRegular() {
			continue
		}
		g, err := geometryAtPath(fsys, filepath.Join(dir, e.Name()))
		if err == nil {
			return g, true, nil
		}
	}
	return Geometry{}, false, nil
}

// geometryAtPath looks into one file.
func geometryAtPath(fsys mapped.FS, path string) (Geometry, error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return Geometry{}, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return Geometry{}, err
	}
	var b [headerSize]byte
	if size < headerSize {
		return Geometry{}, fmt.Errorf("%s: %d bytes are no index file", path, size)
	}
	if _, err := f.ReadAt(b[:], 0); err != nil {
		return Geometry{}, err
	}
	h := decodeHeader(b[:])
	return geometryOf(f, size, &h, DefaultGeometry())
}
