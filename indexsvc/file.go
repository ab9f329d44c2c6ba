package indexsvc

import (
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// indexFile is one file. The writer owns the header's fields; readers see them
// through the atomics.
type indexFile struct {
	fs       mapped.FS
	path     string
	name     string
	geo      Geometry
	readOnly bool

	beginTime, endTime, beginPhy, endPhy atomic.Int64
	slotCount, count                     atomic.Int32

	mu   sync.Mutex                        // guards opening and retiring
	view atomic.Pointer[mapped.MappedFile] // nil until first touched
	gone bool

	stale *uncounted // see mend; fixed before the file is used

	flushMu  sync.Mutex
	flushed  int32 // count when it was last flushed, 0 = unknown
	flushErr error // latched: bytes may be lost
}

func newIndexFile(fsys mapped.FS, path, name string, g Geometry, h Header, readOnly bool) *indexFile {
	f := &indexFile{fs: fsys, path: path, name: name, geo: g, readOnly: readOnly}
	f.setHeader(h)
	return f
}

func (f *indexFile) setHeader(h Header) {
	f.beginTime.Store(h.BeginTimestamp)
	f.endTime.Store(h.EndTimestamp)
	f.beginPhy.Store(h.BeginPhyOffset)
	f.endPhy.Store(h.EndPhyOffset)
	f.slotCount.Store(h.HashSlotCount)
	f.count.Store(h.IndexCount)
}

func (f *indexFile) header() Header {
	return Header{
		BeginTimestamp: f.beginTime.Load(), EndTimestamp: f.endTime.Load(),
		BeginPhyOffset: f.beginPhy.Load(), EndPhyOffset: f.endPhy.Load(),
		HashSlotCount: f.slotCount.Load(), IndexCount: f.count.Load(),
	}
}

func (f *indexFile) full() bool { return f.count.Load() >= f.geo.Entries }

// open maps the file when it is first touched.
func (f *indexFile) open() (*mapped.MappedFile, error) {
	if m := f.view.Load(); m != nil {
		return m, nil
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if m := f.view.Load(); m != nil {
		return m, nil
	}
	if f.gone {
		return nil, &fs.PathError{Op: "open", Path: f.path, Err: fs.ErrClosed}
	}
	m, err := mapped.OpenMappedFile(f.fs, f.path, 0, f.geo.Size(), f.readOnly)
	if err != nil {
		return nil, fmt.Errorf("open index file: %w", err)
	}
	f.view.Store(m)
	return m, nil
}

// acquire maps and holds the file; fs.ErrClosed once it is retired.
func (f *indexFile) acquire() (*mapped.MappedFile, error) {
	m, err := f.open()
	if err != nil {
		return nil, err
	}
	if !m.Acquire() {
		return nil, &fs.PathError{Op: "read", Path: f.path, Err: fs.ErrClosed}
	}
	return m, nil
}

// retire ends the mapping with its last reader.
func (f *indexFile) retire() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.gone = true
	if m := f.view.Load(); m != nil {
		m.Retire()
	}
}

func (f *indexFile) retired() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.gone
}

// sync makes the whole file durable, whoever wrote it.
func (f *indexFile) sync() error {
	if f.view.Load() != nil {
		m, err := f.acquire()
		if err != nil {
			return err
		}
		defer m.Release()
		return m.Flush(0, m.Size())
	}
	file, err := f.fs.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer file.Close()
	return file.Datasync()
}

// corrupt names a place in the file; at is an offset in it.
func (f *indexFile) corrupt(at int64, want string, got any) error {
	return &record.CorruptionError{Path: f.path, Offset: at, Want: want, Got: fmt.Sprint(got), Next: -1}
}

// checkTime holds the time of entry n against its record's. The first entry counts from
// the header that the file was born with.
func (f *indexFile) checkTime(n int32, storeTime int64, got int32) error {
	if want := timeDiff(storeTime, f.beginTime.Load()); n > 1 && got != want {
		return f.corruptTime(n, want, got)
	}
	return nil
}

// corruptTime names the time of entry n.
func (f *indexFile) corruptTime(n, want, got int32) error {
	return f.corrupt(f.geo.entryAt(n)+12, fmt.Sprintf("%d s after the first record", want), got)
}
