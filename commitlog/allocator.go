package commitlog

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"sync"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

const (
	// populateAhead is how far in front of the writer pages are made ready. A
	// whole segment would cost the disk as many zeros as data.
	populateAhead = 64 << 20
	populateStep  = 4 << 20
)

// Allocator makes segments ready ahead of the writer. It has its own goroutine
// in the shell; the Appender calls Take when it rolls, and waits only where the
// segment is not ready yet.
type Allocator struct {
	log       *Log
	mu        sync.Mutex   // held while a segment is made
	populated atomic.Int64 // end of the pages that are ready
	zeros     zeros        // in front of the writer of a staged log
}

// Allocator is the maker of segments for this log.
func (l *Log) Allocator() *Allocator { return &Allocator{log: l} }

// Take gives the segment that starts at offset, making it if need be. An error
// is ErrNoSegment with its cause, and leaves nothing behind.
func (al *Allocator) Take(offset int64) (*mapped.MappedFile, error) {
	if f := al.log.files.Find(offset); f != nil && f.Offset() == offset {
		return f, nil
	}
	al.mu.Lock()
	defer al.mu.Unlock()
	return al.make(offset)
}

// make creates the segment at offset. The directory entry is durable before the
// segment is known to anybody, so no acknowledgement can precede it (A2).
func (al *Allocator) make(offset int64) (*mapped.MappedFile, error) {
	l := al.log
	if f := l.files.Find(offset); f != nil {
		return f, nil
	}
	size := l.o.SegmentSize
	file, err := mapped.CreateFile(l.o.FS, l.o.TmpDir, l.o.Dir, mapped.Name(offset), size,
		func(f mapped.File) error { return f.Allocate(0, size) })
	if errors.Is(err, fs.ErrExist) { // made before, but could not be mapped then
		return al.adopt(offset)
	}
	if err != nil {
		return nil, noSegment(offset, err)
	}
	f, err := mapped.MapFile(file, offset, size, false)
	if err != nil {
		_ = file.Close() // the file stays, for adopt
		return nil, noSegment(offset, err)
	}
	return al.add(f)
}

// add lets everybody know a new segment.
func (al *Allocator) add(f *mapped.MappedFile) (*mapped.MappedFile, error) {
	if err := al.log.files.Add(f); err != nil {
		f.Retire()
		return nil, noSegment(f.Offset(), err)
	}
	return f, nil
}

// adopt maps a segment that an earlier try has left in place. It must be
// unused: this log has never known it. Its directory entry need not be durable
// yet, as that may be where the earlier try has failed.
func (al *Allocator) adopt(offset int64) (*mapped.MappedFile, error) {
	o := &al.log.o
	if err := o.FS.SyncDir(o.Dir); err != nil {
		return nil, noSegment(offset, err)
	}
	f, err := mapped.OpenMappedFile(o.FS, filepath.Join(o.Dir, mapped.Name(offset)), offset, o.SegmentSize, false)
	if err != nil {
		return nil, noSegment(offset, err)
	}
	return al.add(f)
}

func noSegment(offset int64, cause error) error {
	return fmt.Errorf("%w at offset %d: %w", ErrNoSegment, offset, cause)
}

// Prepare makes the segment behind the one in use, so that exactly one unused
// segment exists while the log is written.
// It gives the segment that it made, nil if none was wanted.
func (al *Allocator) Prepare() (*mapped.MappedFile, error) {
	l := al.log
	al.mu.Lock() // so that the last segment stays the last
	defer al.mu.Unlock()
	last := l.files.Last()
	if last == nil || l.writable() != nil {
		return nil, nil
	}
	if l.Appended() <= last.Offset() {
		return nil, nil // an unused segment is there
	}
	return al.make(last.Offset() + l.o.SegmentSize)
}

// Populate brings the pages of the window in front of the writer into memory by
// system calls, so that the writer takes no page faults. It does nothing for a
// staged log.
func (al *Allocator) Populate() {
	l := al.log
	if l.o.Staged || l.o.ReadOnly {
		return
	}
	from := max(al.populated.Load(), l.Appended())
	to := l.Appended() + populateAhead
	for from < to {
		f := l.files.Find(from)
		if f == nil || !f.Acquire() {
			return
		}
		n := min(to-from, populateStep, f.Offset()+f.Size()-from)
		_ = f.Region().Populate(from-f.Offset(), n, true) // best effort: a fault later is slow, not wrong
		f.Release()
		from += n
		al.populated.Store(from)
	}
}

// Wanted reports whether the writer has come so far that Populate, Zero or Prepare
// has something worth doing. It costs the writer a few loads.
func (al *Allocator) Wanted() bool {
	l := al.log
	at := l.Appended()
	if !l.o.Staged && at > al.populated.Load()-populateAhead/2 {
		return true
	}
	if al.zeroing() && at > al.zeros.end.Load()-l.o.ZeroAhead/2 {
		return true
	}
	last := l.files.Last()
	return last != nil && at > last.Offset()
}
