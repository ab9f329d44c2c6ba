package commitlog

import (
	"fmt"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Rewrite writes the bytes of [from, end) again, the same, and starts taking them to
// the disk. After an unclean stop the page cache may hold records that the disk lost
// (A3): only what was written by this, and then synced by SyncRewritten, may be built
// upon.
func (l *Log) Rewrite(from, end int64) error { return l.again(from, end, l.rewrite) }

// SyncRewritten syncs what Rewrite has written of [from, end).
func (l *Log) SyncRewritten(from, end int64) error { return l.again(from, end, l.syncRewritten) }

// again works on the part of each segment in a range; positions are in the segment.
func (l *Log) again(from, end int64, work func(f *mapped.MappedFile, from, to int64) error) error {
	for at := from; at < end; {
		f := l.files.Find(at)
		if f == nil {
			return fmt.Errorf("rewrite: no segment holds offset %d", at)
		}
		if !f.Acquire() {
			return fmt.Errorf("rewrite %s: it is closed", f.Path())
		}
		to := min(end, f.Offset()+f.Size())
		var err error
		fault := mapped.Guard(func() { err = work(f, at-f.Offset(), to-f.Offset()) })
		f.Release()
		if fault != nil {
			return fault
		}
		if err != nil {
			return err
		}
		at = to
	}
	return nil
}

// rewrite writes a range of a segment from its own mapping.
func (l *Log) rewrite(f *mapped.MappedFile, from, to int64) error {
	for at := from; at < to; at += chunk {
		b := f.Bytes()[at:min(at+chunk, to)]
		touch(b) // a page that cannot be read is a fault here, not an error of the write
		_, err := f.File().WriteAt(b, at)
		if err == nil {
			err = f.File().Writeback(at, int64(len(b))) // the disk is not to wait for the sync
		}
		if err != nil {
			return fmt.Errorf("rewrite %s at offset %d: %w", f.Path(), f.Offset()+at, err)
		}
	}
	return nil
}

func (l *Log) syncRewritten(f *mapped.MappedFile, from, to int64) error {
	if err := f.File().Datasync(); err != nil {
		return fmt.Errorf("sync %s after rewriting: %w", f.Path(), err)
	}
	return l.landed(f, from, to)
}

// touched keeps the compiler from leaving out reads that nobody asks for.
var touched atomic.Uint32

// touch reads a byte of every page.
func touch(b []byte) {
	sum := uint32(0)
	for i := 0; i < len(b); i += pageSize {
		sum += uint32(b[i])
	}
	touched.Store(sum)
}
