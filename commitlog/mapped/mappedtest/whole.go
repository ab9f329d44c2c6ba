package mappedtest

import (
	"errors"
	"os"
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// ReadFile gives all bytes of a file of any file system.
func ReadFile(fsys mapped.FS, name string) ([]byte, error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil || size == 0 {
		return nil, err
	}
	b := make([]byte, size)
	_, err = f.ReadAt(b, 0)
	return b, err
}

// WriteFile makes a file hold just b, and its directory where there is none. It
// syncs nothing.
func WriteFile(fsys mapped.FS, name string, b []byte) error {
	if err := fsys.MkdirAll(filepath.Dir(name)); err != nil {
		return err
	}
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteAt(b, 0)
	return errors.Join(err, f.Close())
}
