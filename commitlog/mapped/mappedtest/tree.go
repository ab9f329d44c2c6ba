package mappedtest

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// CopyIn copies the regular files and directories of a tree below dir, all of
// it durable, with their modification times.
func (f *FS) CopyIn(dir string, from fs.FS) error {
	if err := f.MkdirAll(dir); err != nil {
		return err
	}
	err := fs.WalkDir(from, ".", func(name string, e fs.DirEntry, err error) error {
		to := path.Join(filepath.ToSlash(dir), name)
		switch {
		case err != nil:
			return err
		case e.IsDir():
			return f.MkdirAll(to)
		case !e.Type().IsRegular():
			return nil
		}
		b, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		h, err := f.OpenFile(to, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return err
		}
		defer h.Close()
		if _, err := h.WriteAt(b, 0); err != nil {
			return err
		}
		return f.SetModTime(to, info.ModTime())
	})
	if err != nil {
		return err
	}
	return f.SyncFS(dir)
}

// CopyOut writes the tree below dir, as it is live, to a directory of the
// machine, for a program that cannot read it here. Pages of zeros become holes.
func (f *FS) CopyOut(dir, to string) error {
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	list, err := f.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range list {
		from, to := path.Join(filepath.ToSlash(dir), e.Name()), filepath.Join(to, e.Name())
		if e.IsDir() {
			err = f.CopyOut(from, to)
		} else {
			err = f.copyFile(from, to)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (f *FS) copyFile(from, to string) error {
	in, err := f.OpenFile(from, os.O_RDONLY, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	defer out.Close()
	size, err := in.Size()
	if err != nil {
		return err
	}
	var b page
	for off := int64(0); off < size; off += PageSize {
		n, _ := in.ReadAt(b[:], off)
		if same(b[:n], zeros[:n]) {
			continue
		}
		if _, err := out.WriteAt(b[:n], off); err != nil {
			return err
		}
	}
	return out.Truncate(size)
}
