package mapped

import (
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
)

// retired is subtracted from the count of holders by Retire, so that one atomic
// word tells both how many there are and whether new ones are let in.
const retired = int64(1) << 62

// MappedFile is one segment, mapped as a whole. Readers that are not its owner
// stand between Acquire and Release; all methods may be called at any time from
// any goroutine.
type MappedFile struct {
	offset  int64
	size    int64
	path    string
	file    File
	region  Region
	bytes   []byte
	holders atomic.Int64 // starts at 1: the owner
	retire  atomic.Bool  // Retire was called
	closed  atomic.Bool
}

// OpenMappedFile opens the file of size bytes at path, whose first byte is the
// log's byte offset, and maps it. A read-only one takes no write access at all.
func OpenMappedFile(fsys FS, path string, offset, size int64, readOnly bool) (*MappedFile, error) {
	flag := os.O_RDWR
	if readOnly {
		flag = os.O_RDONLY
	}
	f, err := fsys.OpenFile(path, flag, 0)
	if err != nil {
		return nil, err
	}
	m, err := MapFile(f, offset, size, readOnly)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return m, nil
}

// MapFile maps an open file of size bytes and owns it from then on; on an error
// the file stays the caller's. The caller is the one holder, by Retire.
func MapFile(f File, offset, size int64, readOnly bool) (*MappedFile, error) {
	got, err := f.Size()
	if err != nil {
		return nil, err
	}
	if got != size {
		return nil, wrongSize(f.Name(), offset, size, got)
	}
	region, err := f.Map(0, size, !readOnly)
	if err != nil {
		return nil, err
	}
	m := &MappedFile{offset: offset, size: size, path: f.Name(), file: f, region: region, bytes: region.Bytes()}
	m.holders.Store(1)
	return m, nil
}

// Offset is the absolute offset of the first byte.
func (f *MappedFile) Offset() int64 { return f.offset }

// End is the absolute offset behind the last byte.
func (f *MappedFile) End() int64 { return f.offset + f.size }

// Size is the length in bytes.
func (f *MappedFile) Size() int64 { return f.size }

// Path is the file's name with its directory.
func (f *MappedFile) Path() string { return f.path }

// Bytes is the mapped memory. Touch it only inside Guard and while holding.
func (f *MappedFile) Bytes() []byte { return f.bytes }

// File is the open file, for positioned reads and writes; closed with the map.
func (f *MappedFile) File() File { return f.file }

// Region is the mapping, for Populate and Random; ended with the last holder.
func (f *MappedFile) Region() Region { return f.region }

// Flush makes the pages that hold [from, to) durable; both are positions in
// this file, 0 <= from <= to <= Size. A failed flush may have lost the data for
// good and must not be repeated.
func (f *MappedFile) Flush(from, to int64) error {
	if from < 0 || from > to || to > f.size {
		return &fs.PathError{Op: "flush", Path: f.path, Err: syscall.EINVAL}
	}
	if from == to {
		return nil
	}
	if !f.Acquire() {
		return &fs.PathError{Op: "flush", Path: f.path, Err: fs.ErrClosed}
	}
	defer f.Release()
	return f.region.Flush(from, to-from)
}

// Acquire adds a holder; false once the file is retired.
func (f *MappedFile) Acquire() bool {
	if f.holders.Add(1) > 0 {
		return true
	}
	f.Release()
	return false
}

// Release gives one Acquire back. The last one after Retire unmaps and closes.
func (f *MappedFile) Release() {
	switch n := f.holders.Add(-1); {
	case n == -retired:
		f.close()
	case n == 0 || n < -retired:
		panic("mapped: MappedFile released more often than acquired: " + f.path)
	}
}

// Retire lets no new holder in and gives the owner's hold back; again is no-op.
func (f *MappedFile) Retire() {
	if f.retire.Swap(true) {
		return
	}
	if f.holders.Add(-1-retired) == -retired {
		f.close()
	}
}

// Holders counts the holders beside the owner, for a report of who pins a file.
func (f *MappedFile) Holders() int64 {
	n := f.holders.Load()
	if n > 0 {
		return n - 1
	}
	return n + retired
}

// Closed tells whether the mapping has ended.
func (f *MappedFile) Closed() bool { return f.closed.Load() }

// Discard gives the disk space of a retired file back although it is still
// held: the file is cut to nothing, and a holder's next touch is a FaultError.
// It is for files whose name is removed already.
func (f *MappedFile) Discard() error {
	if f.holders.Load() > 0 {
		return &fs.PathError{Op: "discard", Path: f.path, Err: syscall.EBUSY}
	}
	if f.closed.Load() {
		return nil
	}
	return f.file.Truncate(0)
}

// close runs once; after it a failed Acquire passes through the same count.
func (f *MappedFile) close() {
	if f.closed.Swap(true) {
		return
	}
	// Nothing was promised about unflushed bytes, so there is no one to tell.
	_ = f.region.Unmap()
	_ = f.file.Close()
}
