package mapped

import "os"

// extend makes the file at least size bytes long.
func extend(f *os.File, size int64) error {
	info, err := f.Stat()
	if err != nil || info.Size() >= size {
		return err
	}
	return f.Truncate(size)
}
