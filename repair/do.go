package repair

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
)

// asideFor is where a file is moved to: below actorstore/aside/, in a directory
// of the same name as the one it is in.
func (in *Input) asideFor(path string) string {
	if rel, err := filepath.Rel(in.Layout.Root, filepath.Dir(path)); err == nil && filepath.IsLocal(rel) {
		return filepath.Join(in.Layout.Aside(), rel)
	}
	return ownAside(in.Layout)
}

// ownAside is for a commit log that lies outside of the root and perhaps on
// another file system. RocketMQ passes over directories there.
func ownAside(layout checkpoint.Layout) string {
	return filepath.Join(layout.CommitLog(), "actorstore-aside")
}

// parking is where segments wait while they change places.
func parking(layout checkpoint.Layout) string {
	if layout.CommitLogTmp() == layout.Tmp() {
		return layout.Aside()
	}
	return ownAside(layout)
}

// doFiles does the steps about files.
func (in *Input) doFiles(steps []Step) error {
	// All segments that change places leave theirs before one takes another's.
	for i := range steps {
		if s := &steps[i]; s.Action == Rename && s.Path != in.parkedAt(s.To) {
			if err := in.rename(s.Path, in.parkedAt(s.To)); err != nil {
				return err
			}
		}
	}
	// What is moved may stand where one that was parked before belongs.
	for _, renames := range []bool{false, true} {
		if err := in.doSome(steps, renames); err != nil {
			return err
		}
	}
	return nil
}

// doSome does the renames, or the other steps about files.
func (in *Input) doSome(steps []Step, renames bool) error {
	for i := range steps {
		s := &steps[i]
		if (s.Action == Rename) != renames {
			continue
		}
		var err error
		switch s.Action {
		case Move:
			s.To, err = in.moveAside(s.Path)
		case Rename:
			err = in.rename(in.parkedAt(s.To), s.To)
		case Pad:
			s.To, err = in.pad(s.Path, fullLength(*s))
		case Shorten:
			s.To, err = in.shorten(s.Path, fullLength(*s))
		default:
			continue
		}
		if err != nil {
			return fmt.Errorf("%s %s: %w", s.Action, s.Path, err)
		}
		s.Done = true
	}
	return nil
}

func (in *Input) parkedAt(to string) string {
	return filepath.Join(parking(in.Layout), parkedPrefix+filepath.Base(to))
}

// moveAside replaces nothing that was kept before.
func (in *Input) moveAside(path string) (string, error) {
	dir := in.asideFor(path)
	if err := in.FS.MkdirAll(dir); err != nil {
		return "", err
	}
	to, err := mapped.Free(in.FS, dir, filepath.Base(path))
	if err != nil {
		return "", err
	}
	return to, in.rename(path, to)
}

// rename is durable when it returns. The new name comes first: a stop in between
// leaves the file under both, never under none.
func (in *Input) rename(from, to string) error {
	if err := in.FS.MkdirAll(filepath.Dir(to)); err != nil {
		return err
	}
	if taken, err := mapped.Exists(in.FS, to); err != nil {
		return err // what stands there would be replaced
	} else if taken {
		return &fs.PathError{Op: "rename", Path: to, Err: fs.ErrExist}
	}
	if err := in.FS.Rename(from, to); err != nil {
		return err
	}
	if err := in.FS.SyncDir(filepath.Dir(to)); err != nil {
		return err
	}
	return in.FS.SyncDir(filepath.Dir(from))
}

// pad keeps a copy of a short segment and adds zeros to it.
func (in *Input) pad(path string, size int64) (kept string, err error) {
	f, err := in.FS.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	have, err := f.Size()
	if err != nil || have >= size {
		return "", err
	}
	kept, err = checkpoint.Aside(in.FS, in.Layout, "commitlog-"+filepath.Base(path)+"-short", io.NewSectionReader(f, 0, have))
	if err != nil {
		return "", err
	}
	if err := f.Allocate(have, size-have); err != nil {
		return kept, err
	}
	return kept, f.Sync()
}

// shorten keeps what is behind the full length of a segment and takes it off.
func (in *Input) shorten(path string, size int64) (kept string, err error) {
	f, err := in.FS.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	have, err := f.Size()
	if err != nil || have <= size {
		return "", err
	}
	name := "commitlog-" + mapped.Name(number(filepath.Base(path))+size) + "-surplus"
	kept, err = checkpoint.Aside(in.FS, in.Layout, name, io.NewSectionReader(f, size, have-size))
	if err != nil {
		return "", err
	}
	if err := f.Truncate(size); err != nil {
		return kept, err
	}
	return kept, f.Sync()
}

// copyAside keeps a copy of a file whose contents are about to change.
func (in *Input) copyAside(name, path string) error {
	f, err := in.FS.OpenFile(path, os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	_, err = checkpoint.Aside(in.FS, in.Layout, name, io.NewSectionReader(f, 0, size))
	return err
}

// kept lists what is put aside, with sizes.
func (in *Input) kept() (map[string]int64, error) {
	out := map[string]int64{}
	var walk func(dir string) error
	walk = func(dir string) error {
		entries, err := in.FS.ReadDir(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if e.IsDir() {
				err = errors.Join(err, walk(path))
				continue
			}
			info, ierr := e.Info()
			if ierr == nil {
				out[path] = info.Size()
			}
			err = errors.Join(err, ierr)
		}
		return err
	}
	err := walk(in.Layout.Aside())
	return out, errors.Join(err, walk(ownAside(in.Layout)))
}
