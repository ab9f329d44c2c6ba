//go:build !linux

package mapped

import "os"

func datasync(f *os.File) error { return f.Sync() }

func writeback(*os.File, int64, int64) error { return nil }

func allocate(f *os.File, off, n int64) error { return extend(f, off+n) }

// syncFS cannot be had here; a caller that needs certainty syncs each file.
func syncFS(name string) error {
	_, err := os.Lstat(name)
	return err
}
