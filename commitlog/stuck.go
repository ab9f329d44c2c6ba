package commitlog

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// StuckError says that no sync makes a place of a segment durable. ext4 keeps in
// memory, for each page, that its place on the disk is one that was written. It
// does so before the write. If the write then fails, the disk knows nothing of it,
// and every later write of that page succeeds into a place that reads as zeros once
// the page has left the memory. Renew is the way out.
type StuckError struct {
	Path    string
	Segment int64 // offset of the segment
	Offset  int64 // in the log
}

// Error names the place.
func (e *StuckError) Error() string {
	return fmt.Sprintf("%s: offset %d: what is written there does not reach the disk, since an earlier write has failed", e.Path, e.Offset)
}

func (l *Log) stuck(f *mapped.MappedFile, at int64) error {
	// A file system that says so of a new file, too, does not mean what ext4 means.
	if at < 0 || slices.Contains(l.o.Renewed, f.Offset()) {
		return nil
	}
	return &StuckError{Path: f.Path(), Segment: f.Offset(), Offset: f.Offset() + at}
}

// landed wants a range that was written and synced to be on the disk.
func (l *Log) landed(f *mapped.MappedFile, from, to int64) error {
	at, err := f.Region().Unwritten(from, to-from)
	if err != nil {
		return fmt.Errorf("sync %s: is it on the disk: %w", f.Path(), err)
	}
	return l.stuck(f, at)
}

// fresh wants the synced zeros behind a position to be such that what is written
// there will reach the disk: those pages are not to be in memory, or written.
func (l *Log) fresh(f *mapped.MappedFile, from int64) error {
	from = (from + pageSize - 1) / pageSize * pageSize
	if from >= f.Size() {
		return nil
	}
	at, err := f.Region().Drop(from, f.Size()-from)
	if err != nil {
		return fmt.Errorf("let go of %s behind position %d: %w", f.Path(), from, err)
	}
	return l.stuck(f, at)
}

const pageSize = 4096

// Renew puts a copy of a segment, as it shows now, in its place. The log goes on
// with the old file, whose name is gone: it is to be closed and opened again, with
// Options.Renewed. A copy that is cut short leaves the segment as it is.
func (l *Log) Renew(segment int64) error {
	f := l.files.Find(segment)
	if f == nil || !f.Acquire() {
		return fmt.Errorf("renew: no segment holds offset %d", segment)
	}
	defer f.Release()
	err := mapped.ReplaceFile(l.o.FS, l.o.TmpDir, l.o.Dir, filepath.Base(f.Path()), f.Size(), func(to mapped.File) error {
		if err := to.Allocate(0, f.Size()); err != nil {
			return err
		}
		var failed error
		fault := mapped.Guard(func() { failed = copyTo(to, f) })
		if fault != nil {
			return fault
		}
		return failed
	})
	if err != nil {
		return fmt.Errorf("write %s anew: %w", f.Path(), err)
	}
	return nil
}

func copyTo(to mapped.File, f *mapped.MappedFile) error {
	for _, e := range f.Extents(0, f.Size()) {
		for at := e.From; at < e.To; at += chunk {
			b := f.Bytes()[at:min(at+chunk, e.To)]
			touch(b)
			if _, err := to.WriteAt(b, at); err != nil {
				return err
			}
		}
	}
	return nil
}
