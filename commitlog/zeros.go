package commitlog

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

const (
	// zeroStep is what is zeroed and synced at a time, and what the writer claims.
	zeroStep = 1 << 20
	// zeroRate is how many bytes of zeros a second the disk is asked for at most.
	// A writer that is faster than that gains little and needs the disk itself.
	zeroRate = 100 << 20
)

// zeros are written in front of the writer of a staged log. Space that was only
// reserved is marked unwritten in the file system, and the first sync of each
// part of it must change that mark, too; a sync of bytes that were written
// before costs the data alone.
//
// Zeros never touch what the writer writes: both take ranges under the mutex,
// the writer a step at a time, and zeros go only to what is not claimed.
type zeros struct {
	mu      sync.Mutex   // held while zeros are written, and by the writer's claim
	claimed int64        // the writer may write below it
	end     atomic.Int64 // zeros were written up to here, or are not wanted below
	blank   []byte
	last    time.Time // when allowed was counted
	allowed int64     // bytes that may be zeroed now
}

// claim gives the writer all below the offset that is returned, which is at
// least "to". It waits while a step of zeros is being written, a memory copy.
func (z *zeros) claim(to int64) int64 {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.claimed = max(z.claimed, roundUp(to))
	return z.claimed
}

func roundUp(n int64) int64 { return (n + zeroStep - 1) / zeroStep * zeroStep }

// allow counts what may be zeroed by now.
func (z *zeros) allow(now time.Time, most int64) {
	if z.last.IsZero() {
		z.allowed = most
	} else if passed := now.Sub(z.last); passed > 0 {
		z.allowed += int64(zeroRate * min(passed, time.Second).Seconds())
	}
	z.last, z.allowed = now, min(z.allowed, most)
}

// zeroing reports whether there are zeros ahead of this log.
func (al *Allocator) zeroing() bool {
	o := &al.log.o
	return o.Staged && !o.ReadOnly && o.ZeroAhead > 0
}

// Zero writes zeros up to Options.ZeroAhead in front of the writer of a staged
// log and syncs them, as far as the rate allows; "now" only tells how much time
// has passed since the last call. Zeros that cannot be written cost no more than
// their gain: the error is for the record, and that segment is left alone. A
// failed sync makes the log read-only, as it may have dropped records of the
// same file (A3).
func (al *Allocator) Zero(now time.Time) error {
	if !al.zeroing() {
		return nil
	}
	al.zeros.allow(now, al.log.o.ZeroAhead)
	var target zeroFile
	defer target.close()
	for al.log.writable() == nil {
		n, err := al.zeroSome(&target)
		if err != nil || n == 0 {
			return err
		}
		if al.log.writable() != nil {
			return nil
		}
		if err := target.file.Datasync(); err != nil {
			al.log.Fail(fmt.Errorf("sync zeros ahead in %s: %w", target.segment.Path(), err))
			return al.log.Failed()
		}
	}
	return nil
}

// zeroSome writes one step of zeros; 0 when none is wanted, or allowed.
func (al *Allocator) zeroSome(target *zeroFile) (int64, error) {
	l, z := al.log, &al.zeros
	z.mu.Lock()
	defer z.mu.Unlock()
	at := max(z.end.Load(), z.claimed, roundUp(l.Appended()))
	f := l.files.Find(at)
	if f == nil {
		return 0, nil
	}
	end := f.Offset() + f.Size()
	n := min(zeroStep-at%zeroStep, end-at)
	if at+n > roundUp(l.Appended()+l.o.ZeroAhead) || n > z.allowed {
		return 0, nil
	}
	if z.blank == nil {
		z.blank = make([]byte, zeroStep)
	}
	err := target.open(l.o.FS, f)
	if err == nil {
		_, err = target.file.WriteAt(z.blank[:n], at-f.Offset())
	}
	if err != nil {
		z.end.Store(end)
		return 0, fmt.Errorf("zeros ahead in %s at offset %d: %w", f.Path(), at, err)
	}
	z.allowed -= n
	z.end.Store(at + n)
	return n, nil
}

// zeroFile is the segment that zeros go to. It has a descriptor of its own,
// because an error of writing back is told once to each descriptor, and the
// flusher must not miss its own.
type zeroFile struct {
	segment *mapped.MappedFile
	file    mapped.File
}

func (t *zeroFile) open(fs mapped.FS, f *mapped.MappedFile) (err error) {
	if t.segment == f {
		return nil
	}
	t.close()
	t.file, err = fs.OpenFile(f.Path(), os.O_RDWR, 0o644)
	if err == nil {
		t.segment = f
	}
	return err
}

// close needs no error: what was written has been synced.
func (t *zeroFile) close() {
	if t.segment != nil {
		_ = t.file.Close()
		t.segment = nil
	}
}
