package repair

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// View shows a store as the steps about its files will leave it, for reading
// only. Nothing is changed: a file that is to be padded ends in zeros that are
// not there, and one that is to be moved cannot be seen.
func View(fsys mapped.FS, steps []Step) mapped.FS {
	v := &view{FS: fsys, hidden: map[string]bool{}, placed: map[string]string{}, sizes: map[string]int64{}}
	for _, s := range steps {
		switch s.Action {
		case Move:
			v.hidden[s.Path] = true
		case Rename:
			v.hidden[s.Path] = true
			v.placed[s.To] = s.Path
		case Pad:
			v.sizes[s.Path] = fullLength(s)
		case Shorten:
			v.sizes[s.Path] = fullLength(s)
		}
	}
	if len(v.hidden)+len(v.sizes) == 0 {
		return fsys
	}
	return v
}

// fullLength is the length that a segment will have.
func fullLength(s Step) int64 {
	start := number(filepath.Base(s.Path))
	if s.Action == Pad {
		return s.End - start
	}
	return s.Offset - start
}

type view struct {
	mapped.FS
	hidden map[string]bool
	placed map[string]string // name: where it stands now
	sizes  map[string]int64
}

// behind is where a name's bytes stand.
func (v *view) behind(name string) (string, bool) {
	if path, ok := v.placed[name]; ok {
		return path, true
	}
	return name, !v.hidden[name]
}

// OpenFile opens for reading and refuses everything else.
func (v *view) OpenFile(name string, flag int, perm fs.FileMode) (mapped.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC|os.O_APPEND) != 0 {
		return nil, readOnly("open", name)
	}
	path, ok := v.behind(name)
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	f, err := v.FS.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	if size, ok := v.sizes[name]; ok {
		return &resized{File: f, size: size}, nil
	}
	return f, nil
}

// Stat is that of what stands behind the name.
func (v *view) Stat(name string) (fs.FileInfo, error) {
	path, ok := v.behind(name)
	if !ok {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
	}
	info, err := v.FS.Stat(path)
	if err == nil && (path != name || v.sizes[name] > 0) {
		return v.entryOf(name, info), nil
	}
	return info, err
}

func (v *view) entryOf(name string, info fs.FileInfo) *entry {
	e := &entry{FileInfo: info, name: filepath.Base(name), size: info.Size()}
	if size, ok := v.sizes[name]; ok {
		e.size = size
	}
	return e
}

// ReadDir lists what will be there.
func (v *view) ReadDir(dir string) ([]fs.DirEntry, error) {
	entries, err := v.FS.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	list := make([]fs.DirEntry, 0, len(entries))
	for _, e := range entries {
		name := filepath.Join(dir, e.Name())
		if v.hidden[name] {
			continue
		}
		if _, ok := v.sizes[name]; ok {
			info, err := e.Info()
			if err != nil {
				return nil, err
			}
			e = v.entryOf(name, info)
		}
		list = append(list, e)
	}
	for name := range v.placed {
		if filepath.Dir(name) != dir {
			continue
		}
		info, err := v.Stat(name)
		if err != nil {
			return nil, err
		}
		list = append(list, info.(*entry))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	return list, nil
}

// What changes something is refused.

func (v *view) MkdirAll(name string) error  { return readOnly("mkdir", name) }
func (v *view) Mkdir(name string) error     { return readOnly("mkdir", name) }
func (v *view) Rename(name, _ string) error { return readOnly("rename", name) }
func (v *view) Remove(name string) error    { return readOnly("remove", name) }
func (v *view) SyncDir(name string) error   { return readOnly("sync", name) }
func (v *view) SyncFS(name string) error    { return readOnly("sync", name) }
func readOnly(op, name string) *fs.PathError {
	return &fs.PathError{Op: op, Path: name, Err: syscall.EROFS}
}

// entry is a file under another name or of another length.
type entry struct {
	fs.FileInfo
	name string
	size int64
}

func (e *entry) Name() string               { return e.name }
func (e *entry) Size() int64                { return e.size }
func (e *entry) Type() fs.FileMode          { return e.Mode().Type() }
func (e *entry) Info() (fs.FileInfo, error) { return e, nil }
func (e *entry) ModTime() time.Time         { return e.FileInfo.ModTime() }

// resized is a file that is shown longer or shorter than it is.
type resized struct {
	mapped.File
	size int64
}

func (f *resized) Size() (int64, error) { return f.size, nil }

func (f *resized) ReadAt(p []byte, off int64) (int, error) {
	if off >= f.size {
		return 0, io.EOF
	}
	want := p[:min(int64(len(p)), f.size-off)]
	n, err := f.File.ReadAt(want, off)
	if err != nil && err != io.EOF {
		return n, err
	}
	clear(want[n:])
	if len(want) < len(p) {
		return len(want), io.EOF
	}
	return len(want), nil
}

// Map maps what is there, or, where that is not enough, a copy in memory: zeros
// that nobody touches take none.
func (f *resized) Map(off, n int64, writable bool) (mapped.Region, error) {
	if writable || off < 0 || n <= 0 || off > f.size-n {
		return nil, &fs.PathError{Op: "mmap", Path: f.Name(), Err: syscall.EINVAL}
	}
	if have, err := f.File.Size(); err != nil || off+n <= have {
		if err != nil {
			return nil, err
		}
		return f.File.Map(off, n, false)
	}
	b := make(copied, n)
	have, err := f.File.Size()
	if err == nil && have > off {
		_, err = f.File.ReadAt(b[:min(have-off, n)], off)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	return b, nil
}

// copied is a region of ordinary memory.
type copied []byte

func (b copied) Bytes() []byte                     { return b }
func (b copied) Flush(int64, int64) error          { return nil }
func (b copied) Populate(int64, int64, bool) error { return nil }
func (b copied) Random() error                     { return nil }

func (b copied) Unwritten(int64, int64) (int64, error) { return -1, nil }
func (b copied) Drop(int64, int64) (int64, error)      { return -1, nil }

func (b copied) Unmap() error { return nil }
