package commitlog

import (
	"fmt"
	"sync"

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
	mu        sync.Mutex // held while a segment is made
	populated int64      // end of the pages that are ready; allocator's goroutine only
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
	err := mapped.CreateFile(l.o.FS, l.o.TmpDir, l.o.Dir, mapped.Name(offset), size,
		func(f mapped.File) error { return f.Allocate(0, size) })
	if err != nil {
		return nil, fmt.Errorf("%w at offset %d: %w", ErrNoSegment, offset, err)
	}
	f, err := l.files.Append(offset)
	if err != nil {
		return nil, fmt.Errorf("%w at offset %d: %w", ErrNoSegment, offset, err)
	}
	return f, nil
}

// Prepare makes the segment behind the one in use, so that exactly one unused
// segment exists while the log is written.
func (al *Allocator) Prepare() error {
	l := al.log
	last := l.files.Last()
	if last == nil || l.o.ReadOnly {
		return nil
	}
	if l.Appended() < last.Offset() {
		return nil // an unused segment is there
	}
	al.mu.Lock()
	defer al.mu.Unlock()
	_, err := al.make(last.Offset() + l.o.SegmentSize)
	return err
}

// Populate brings the pages of the window in front of the writer into memory by
// system calls, so that the writer takes no page faults. It does nothing for a
// staged log. It reports whether the writer has eaten half of the window.
func (al *Allocator) Populate() {
	l := al.log
	if l.o.Staged || l.o.ReadOnly {
		return
	}
	from := max(al.populated, l.Appended())
	to := l.Appended() + populateAhead
	for from < to {
		f := l.files.Find(from)
		if f == nil || !f.Acquire() {
			return
		}
		n := min(to-from, populateStep, f.Offset()+f.Size()-from)
		f.Populate(from-f.Offset(), n) // best effort: a fault later is slow, not wrong
		f.Release()
		from += n
		al.populated = from
	}
}

// Wanted reports whether Prepare or Populate has something worth doing.
func (al *Allocator) Wanted() bool {
	l := al.log
	last := l.files.Last()
	return last != nil && l.Appended() >= last.Offset()
}

// PopulateBelow is the appended offset from which Populate should run again.
func (al *Allocator) PopulateBelow() int64 { return al.populated - populateAhead/2 }
