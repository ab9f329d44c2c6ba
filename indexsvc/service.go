package indexsvc

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Options say where the index lies and how large new files are.
type Options struct {
	FS     mapped.FS
	Dir    string // <root>/index, made with the first file
	TmpDir string // where files are made, on the same file system
	// MaxHashSlotNum and MaxIndexNum are the geometry of new files, and of found
	// ones that do not show their own; 0 = RocketMQ's defaults.
	MaxHashSlotNum, MaxIndexNum int
	// ReadOnly maps without write access and refuses every change.
	ReadOnly bool
	// Warn is told once of each entry of Dir that is not used; may be nil.
	Warn func(path, reason string)
}

// ErrReadOnly refuses a change of an index that was opened read-only.
var ErrReadOnly = errors.New("index is open read-only")

// Service is the ordered set of index files.
type Service struct {
	o   Options
	geo Geometry // of new files

	files atomic.Pointer[[]*indexFile] // oldest first; immutable slices
	end   atomic.Int64                 // see EndPhyOffset

	mu      sync.Mutex // guards every change but a flush
	damaged []*record.CorruptionError
	unused  []string // files that hold no keys and are left alone
	closed  atomic.Bool
}

// Open lists the files of an index. It maps nothing and creates nothing. Entries
// that are no index files are warned of and left alone; files that cannot be
// right are left out and listed by Damaged. An error means that the directory or
// a file could not be read.
func Open(o Options) (*Service, error) {
	s := &Service{o: o, geo: DefaultGeometry()}
	if o.Warn == nil {
		s.o.Warn = func(string, string) {}
	}
	for _, v := range []struct {
		option int
		field  *int32
	}{{o.MaxHashSlotNum, &s.geo.Slots}, {o.MaxIndexNum, &s.geo.Entries}} {
		if v.option != 0 {
			*v.field = int32(max(min(v.option, maxInt32), -1))
		}
	}
	if err := s.geo.valid(); err != nil {
		return nil, err
	}
	if err := s.load(); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Service) load() error {
	entries, err := s.o.FS.ReadDir(s.o.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("list index: %w", err)
	}
	var files []*indexFile
	for _, e := range entries {
		path := filepath.Join(s.o.Dir, e.Name())
		if reason := stray(e); reason != "" {
			s.o.Warn(path, reason)
			continue
		}
		f, err := s.found(path, e.Name())
		var corrupt *record.CorruptionError
		if errors.As(err, &corrupt) {
			s.damaged = append(s.damaged, corrupt)
			s.o.Warn(path, err.Error())
			continue
		}
		if err != nil {
			return err
		}
		if f == nil {
			s.unused = append(s.unused, path)
			s.o.Warn(path, "holds no keys: left by a process that died while making it, or of another size than configured; left alone")
			continue
		}
		files = append(files, f)
	}
	// By what they hold: names are wall clock times and may be out of order.
	slices.SortStableFunc(files, func(a, b *indexFile) int {
		return cmp.Or(cmp.Compare(a.beginPhy.Load(), b.beginPhy.Load()),
			cmp.Compare(a.endPhy.Load(), b.endPhy.Load()), cmp.Compare(a.name, b.name))
	})
	if err := mendLast(files); err != nil {
		return err
	}
	s.publish(files)
	return nil
}

// stray says why an entry of the directory is no index file. RocketMQ takes any
// name that parses as a long.
func stray(e fs.DirEntry) string {
	if e.IsDir() {
		return "a directory, not an index file; left alone"
	}
	if !e.Type().IsRegular() {
		return "not a regular file; left alone"
	}
	for _, c := range e.Name() {
		if c < '0' || c > '9' {
			return "not named by a time; left alone"
		}
	}
	if _, err := strconv.ParseInt(e.Name(), 10, 64); err != nil {
		return "not named by a time; left alone"
	}
	return ""
}

// found reads a file's header. nil is a file that holds nothing.
func (s *Service) found(path, name string) (*indexFile, error) {
	f, err := s.o.FS.OpenFile(path, os.O_RDONLY, 0)
	if err != nil {
		return nil, fmt.Errorf("open index file: %w", err)
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil || size == 0 {
		return nil, err
	}
	if size < headerSize {
		return nil, &record.CorruptionError{Path: path, Offset: size, Next: -1,
			Want: fmt.Sprintf("at least %d bytes", headerSize), Got: fmt.Sprintf("%d bytes", size)}
	}
	var b [headerSize]byte
	if _, err := f.ReadAt(b[:], 0); err != nil {
		return nil, fmt.Errorf("read index file: %w", err)
	}
	h := decodeHeader(b[:])
	g, err := geometryOf(f, size, &h, s.geo)
	if errors.Is(err, record.ErrCorrupt) && h.IndexCount <= 1 {
		return nil, nil // made with another geometry and not used yet
	}
	if err != nil {
		return nil, fmt.Errorf("index file %s: %w", name, err)
	}
	if err := h.check(path, g); err != nil {
		return nil, err
	}
	file := newIndexFile(s.o.FS, path, name, g, h, s.o.ReadOnly)
	return file, file.checkEnds(f)
}

// publish makes files the set that queries see.
func (s *Service) publish(files []*indexFile) {
	end := int64(-1)
	if i := lastIndex(files, (*indexFile).known); i >= 0 {
		end = files[i].endPhy.Load()
	}
	s.files.Store(&files)
	s.end.Store(end)
}

// known tells that endPhy stands for a record. A file without entries repeats
// the end of the one before it, if that is not 0.
func (f *indexFile) known() bool { return f.count.Load() > 1 || f.endPhy.Load() > 0 }

func lastIndex(files []*indexFile, is func(*indexFile) bool) int {
	for i, f := range slices.Backward(files) {
		if is(f) {
			return i
		}
	}
	return -1
}

func (s *Service) list() []*indexFile { return *s.files.Load() }

func (s *Service) last() *indexFile {
	if files := s.list(); len(files) > 0 {
		return files[len(files)-1]
	}
	return nil
}

// EndPhyOffset is the physical start of the newest indexed record, -1 if none.
// Records without keys do not move it.
func (s *Service) EndPhyOffset() int64 { return s.end.Load() }

// Damaged lists the files that Open left out. To mend: DropFrom the first of
// them, or Reset, and put the records again from EndPhyOffset on.
func (s *Service) Damaged() []*record.CorruptionError {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.damaged)
}

// FileInfo describes one file.
type FileInfo struct {
	Path string
	Name string
	Geometry
	Header
	Full bool
}

// Files describes the files in use, oldest first.
func (s *Service) Files() []FileInfo {
	var infos []FileInfo
	for _, f := range s.list() {
		infos = append(infos, FileInfo{Path: f.path, Name: f.name, Geometry: f.geo, Header: f.header(), Full: f.full()})
	}
	return infos
}

// changeable is asked under mu before every change.
func (s *Service) changeable() error {
	if s.closed.Load() {
		return fmt.Errorf("index %s: %w", s.o.Dir, fs.ErrClosed)
	}
	if s.o.ReadOnly {
		return fmt.Errorf("index %s: %w", s.o.Dir, ErrReadOnly)
	}
	return nil
}

// Close ends all use; running queries finish. It does not flush.
func (s *Service) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed.Store(true)
	for _, f := range s.list() {
		f.retire()
	}
	s.files.Store(new([]*indexFile))
	return nil
}
