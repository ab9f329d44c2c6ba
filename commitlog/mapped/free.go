package mapped

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
)

// Exists tells whether something has a name. A disk that does not say is an error, and
// no name that is free.
func Exists(fsys FS, path string) (bool, error) {
	_, err := fsys.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Free is the path of a name in dir that nothing has: name, name.1, name.2 and so on.
// One of which the disk does not say whether it is taken ends the search with an error.
func Free(fsys FS, dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	for i := 1; ; i++ {
		taken, err := Exists(fsys, path)
		if err != nil {
			return "", err
		}
		if !taken {
			return path, nil
		}
		path = filepath.Join(dir, Fit(name, "."+strconv.Itoa(i)))
	}
}
