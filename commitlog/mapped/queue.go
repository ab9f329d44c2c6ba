package mapped

import (
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"sync"
	"sync/atomic"
)

// MappedFileQueue is the ordered set of the segments of one directory, each of
// the same size. Readers never lock: they load an immutable slice. Changes may
// come from any goroutine and exclude each other.
type MappedFileQueue struct {
	fs       FS
	dir      string
	fileSize int64
	readOnly bool
	empty    string
	mu       sync.Mutex // of changes
	files    atomic.Pointer[[]*MappedFile]
}

// Option changes how OpenMappedFileQueue opens.
type Option func(*MappedFileQueue)

// ReadOnly opens and maps the files without write access.
func ReadOnly() Option { return func(q *MappedFileQueue) { q.readOnly = true } }

// Gap is a missing range of offsets, [From, To), between two files.
type Gap struct{ From, To int64 }

// OpenMappedFileQueue opens and maps every segment in dir; a missing directory
// is an empty queue. It changes nothing on disk. Entries that are no segment
// are reported to warn (may be nil) once each and left alone. A numeric name
// that is no multiple of fileSize, and any file of another size, is a
// *record.CorruptionError, but for an empty last file: see Empty.
func OpenMappedFileQueue(fsys FS, dir string, fileSize int64, warn func(path, reason string), options ...Option) (*MappedFileQueue, error) {
	if fileSize <= 0 {
		return nil, fmt.Errorf("mapped: %s: file size must be positive, got %d", dir, fileSize)
	}
	if warn == nil {
		warn = func(string, string) {}
	}
	q := &MappedFileQueue{fs: fsys, dir: dir, fileSize: fileSize}
	q.files.Store(new([]*MappedFile))
	for _, o := range options {
		o(q)
	}
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return q, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := classify(dir, entries, fileSize, warn)
	if err != nil {
		return nil, err
	}
	if list, q.empty, err = checkSizes(list, fileSize); err != nil {
		return nil, err
	}
	files := make([]*MappedFile, 0, len(list))
	for _, e := range list {
		f, err := OpenMappedFile(fsys, e.path, e.offset, fileSize, q.readOnly)
		if err != nil {
			for _, f := range files {
				f.Retire()
			}
			return nil, err
		}
		files = append(files, f)
	}
	q.files.Store(&files)
	return q, nil
}

// Dir is the directory of the files.
func (q *MappedFileQueue) Dir() string { return q.dir }

// FileSize is the size of each file in bytes.
func (q *MappedFileQueue) FileSize() int64 { return q.fileSize }

// Empty is the path of a last file of 0 bytes that was left out, or "". The
// owner may remove it.
func (q *MappedFileQueue) Empty() string { return q.empty }

// Files is the current list in order; it must not be changed.
func (q *MappedFileQueue) Files() []*MappedFile { return *q.files.Load() }

// First is the file with the lowest offset, nil if there is none.
func (q *MappedFileQueue) First() *MappedFile {
	if files := q.Files(); len(files) > 0 {
		return files[0]
	}
	return nil
}

// Last is the file with the highest offset, nil if there is none.
func (q *MappedFileQueue) Last() *MappedFile {
	if files := q.Files(); len(files) > 0 {
		return files[len(files)-1]
	}
	return nil
}

// Min is the offset of the first file, -1 if there is none.
func (q *MappedFileQueue) Min() int64 {
	if f := q.First(); f != nil {
		return f.offset
	}
	return -1
}

// Find is the file that holds offset, nil if there is none. The file may be
// retired at any moment: Acquire it before its bytes are touched.
func (q *MappedFileQueue) Find(offset int64) *MappedFile {
	files := q.Files()
	if len(files) == 0 || offset < files[0].offset {
		return nil
	}
	// Without a gap the place follows from the offset; else search.
	if i := (offset - files[0].offset) / q.fileSize; i < int64(len(files)) {
		if f := files[i]; f.holds(offset) {
			return f
		}
	}
	i := sort.Search(len(files), func(i int) bool { return files[i].End() > offset })
	if i < len(files) && files[i].holds(offset) {
		return files[i]
	}
	return nil
}

func (f *MappedFile) holds(offset int64) bool { return offset >= f.offset && offset-f.offset < f.size }

// Gaps lists the ranges that are missing between the files.
func (q *MappedFileQueue) Gaps() []Gap {
	var gaps []Gap
	files := q.Files()
	for i := 1; i < len(files); i++ {
		if end := files[i-1].End(); files[i].offset != end {
			gaps = append(gaps, Gap{From: end, To: files[i].offset})
		}
	}
	return gaps
}
