package indexsvc

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// CreateError says that the next index file could not be made, for example for
// want of space. Nothing of it is left; the record that needed it is not
// indexed, and the next Put tries again.
type CreateError struct {
	Path string
	Err  error
}

// Error names the file.
func (e *CreateError) Error() string {
	return fmt.Sprintf("create index file %s: %v", e.Path, e.Err)
}

// Unwrap gives the cause.
func (e *CreateError) Unwrap() error { return e.Err }

// create makes the file behind the last one, for a record of that store time.
func (s *Service) create(storeTime int64) (*indexFile, error) {
	h := Header{IndexCount: 1}
	lastName := ""
	if last := s.last(); last != nil {
		h, lastName = last.header().successor(), last.name
	}
	for name := nextName(storeTime, lastName); ; name = after(name) {
		f, err := s.createNamed(name, h)
		if errors.Is(err, fs.ErrExist) {
			continue // a stray or a file that was left out
		}
		if err != nil {
			return nil, &CreateError{Path: filepath.Join(s.o.Dir, name), Err: err}
		}
		s.files.Store(new(append(slices.Clone(s.list()), f)))
		return f, nil
	}
}

// createNamed makes and maps one file, or leaves nothing behind.
func (s *Service) createNamed(name string, h Header) (*indexFile, error) {
	if err := s.o.FS.MkdirAll(s.o.Dir); err != nil {
		return nil, err
	}
	size := s.geo.Size()
	file, err := mapped.CreateFile(s.o.FS, s.o.TmpDir, s.o.Dir, name, size, func(f mapped.File) error {
		if err := f.Allocate(0, size); err != nil {
			return err
		}
		_, err := f.WriteAt(h.encode(), 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	path := filepath.Join(s.o.Dir, name)
	m, err := mapped.MapFile(file, 0, size, false)
	if err != nil {
		return nil, errors.Join(err, file.Close(), s.remove(path))
	}
	f := newIndexFile(s.o.FS, path, name, s.geo, h, false)
	f.view.Store(m)
	return f, nil
}

func (s *Service) remove(path string) error {
	if err := s.o.FS.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return s.o.FS.SyncDir(s.o.Dir)
}

const nameLayout = "20060102150405.000"

// nextName is the record's time in UTC, yyyyMMddHHmmssSSS, or the moment after
// the last file's name if that is later: RocketMQ takes names for order.
func nextName(storeTime int64, last string) string {
	const year10000 = 253402300800000
	name := timeName(time.UnixMilli(max(0, min(storeTime, year10000-1))))
	if name <= last {
		return after(last)
	}
	return name
}

func timeName(t time.Time) string {
	return strings.Replace(t.UTC().Format(nameLayout), ".", "", 1)
}

// after is the next name: a millisecond later, or where the name is no time,
// the next number.
func after(name string) string {
	if len(name) == len(nameLayout)-1 {
		at := len(name) - 3
		if t, err := time.Parse(nameLayout, name[:at]+"."+name[at:]); err == nil && t.Year() < 9999 {
			return timeName(t.Add(time.Millisecond))
		}
	}
	n, _ := strconv.ParseUint(name, 10, 63)
	return fmt.Sprintf("%0*d", len(name), n+1)
}
