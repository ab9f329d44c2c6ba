package main

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// restore makes a directory equal to another. Files that are equal already stay
// as they are, so that a store that was opened is put back without copying its
// log again. What is copied is synced: an opening must not pay for it.
func restore(from, to string) error {
	err := filepath.WalkDir(to, func(path string, e fs.DirEntry, err error) error {
		if err != nil || path == to {
			return err
		}
		rel, err := filepath.Rel(to, path)
		if err != nil {
			return err
		}
		if _, err := os.Lstat(filepath.Join(from, rel)); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if err := os.RemoveAll(path); err != nil {
			return err
		}
		if e.IsDir() {
			return fs.SkipDir
		}
		return nil
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, rel), 0o755)
		}
		return restoreFile(path, filepath.Join(to, rel))
	})
}

const piece = 1 << 20

// restoreFile writes the pieces that differ. Zeros behind the end of a file that
// is there are not written: most of a store's files is empty space.
func restoreFile(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_RDWR|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	want, has := make([]byte, piece), make([]byte, piece)
	for at := int64(0); ; at += piece {
		n, err := io.ReadFull(in, want)
		if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
			return err
		}
		k, _ := out.ReadAt(has[:n], at)
		clear(has[k:n])
		if !bytes.Equal(want[:n], has[:n]) {
			if _, err := out.WriteAt(want[:n], at); err != nil {
				return err
			}
		}
		if n < piece {
			return errors.Join(resize(out, at+int64(n)), out.Sync())
		}
	}
}

func resize(f *os.File, size int64) error {
	if i, err := f.Stat(); err != nil || i.Size() == size {
		return err
	}
	return f.Truncate(size)
}
