package mapped

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strconv"
)

// Free is the path of a name in dir that nothing has: name, name.1, name.2 and so on.
// One of which the disk does not say whether it is taken ends the search with an error.
func Free(fsys FS, dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	for i := 1; ; i++ {
		_, err := fsys.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, Fit(name, "."+strconv.Itoa(i)))
	}
}
