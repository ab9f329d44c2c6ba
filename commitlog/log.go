package commitlog

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// ErrReadOnly is what errors.Is finds when a log takes no more appends: it was
// opened for reading, or a write or flush has failed (I7).
var ErrReadOnly = errors.New("commit log is read-only")

// ErrNoSegment is what errors.Is finds when the next segment could not be made;
// nothing was written and the append may be tried again later.
var ErrNoSegment = errors.New("no segment to append to")

// Options say where a log lies and how it is written.
type Options struct {
	FS       mapped.FS
	Dir      string // the segments
	TmpDir   string // where segments are made before they are renamed into Dir
	AsideDir string // where cut bytes are kept

	SegmentSize int64 // bytes, one size for all segments of a log
	// Staged collects a batch in memory and writes it with one pwrite, which is
	// the faster way to the disk under SYNC_FLUSH; otherwise records are encoded
	// straight into the mapping (ASYNC_FLUSH).
	Staged bool
	// ZeroAhead is how far in front of the writer of a staged log Allocator.Zero
	// writes zeros, in bytes; 0 = nowhere.
	ZeroAhead int64
	ReadOnly  bool // map read-only, create nothing
	// Renewed are the segments that Renew has written anew for this opening.
	Renewed []int64

	Encoder record.Encoder
	// EnableLmq lets a put name light queues (INNER_MULTI_DISPATCH).
	EnableLmq bool
	// Warn tells of a stray file, once each.
	Warn func(path, reason string)
}

// Log is a commit log: its segments, its watermarks and what made it stop.
type Log struct {
	Watermarks
	o      Options
	files  *mapped.MappedFileQueue
	failed atomic.Pointer[error]
	last   boundary             // the last record below appended
	synced boundary             // the last record below flushed
	doomed []*mapped.MappedFile // expired, but their names are still there
}

// relist is how often a listing with other gaps each time is taken again.
const relist = 10

// Open lists and maps the segments of a log. It changes nothing and trusts
// nothing: Restore says where the log ends before it is used.
func Open(o Options) (*Log, error) {
	var options []mapped.Option
	if o.ReadOnly {
		options = append(options, mapped.ReadOnly())
	}
	files, err := mapped.OpenMappedFileQueue(o.FS, o.Dir, o.SegmentSize, o.Warn, options...)
	for again := 0; err == nil && o.ReadOnly && len(files.Gaps()) > 0 && again < relist; again++ {
		// A listing is not of one moment: beside a writer it may lack a segment
		// that is older than one it has. A gap that is real stays.
		before := files.Gaps()
		files.Close()
		files, err = mapped.OpenMappedFileQueue(o.FS, o.Dir, o.SegmentSize, nil, options...)
		if err == nil && slices.Equal(before, files.Gaps()) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("open commit log: %w", err)
	}
	return &Log{o: o, files: files}, nil
}

// Restore places the watermarks of a log that was found to hold [min, end), of
// which the queues hold [min, dispatched). Nobody may use the log meanwhile.
func (l *Log) Restore(min, dispatched, end int64) {
	l.last.start.Store(-1)
	l.synced.start.Store(-1)
	l.reset(min, dispatched, end)
}

// SegmentSize is the size of each segment in bytes.
func (l *Log) SegmentSize() int64 { return l.o.SegmentSize }

// Segments are the segments at this moment, oldest first, an unused one too.
func (l *Log) Segments() []*mapped.MappedFile { return l.files.Files() }

// Gaps are the ranges of offsets that are missing between segments.
func (l *Log) Gaps() []mapped.Gap { return l.files.Gaps() }

// Options are what the log was opened with.
func (l *Log) Options() Options { return l.o }

// Fail makes the log read-only for good; the first cause stays (I7).
func (l *Log) Fail(cause error) {
	err := fmt.Errorf("%w: %w", ErrReadOnly, cause)
	l.failed.CompareAndSwap(nil, &err)
}

// Failed is why the log is read-only, nil while it is not.
func (l *Log) Failed() error {
	if p := l.failed.Load(); p != nil {
		return *p
	}
	return nil
}

// writable is why nothing may be appended, nil if it may.
func (l *Log) writable() error {
	if l.o.ReadOnly {
		return ErrReadOnly
	}
	return l.Failed()
}

// Path names the segment of a physical offset, for error messages: the file may be
// missing.
func (l *Log) Path(offset int64) string {
	return filepath.Join(l.o.Dir, mapped.Name(offset-offset%l.o.SegmentSize))
}

// Close unmaps all segments, each once its last reader is done.
func (l *Log) Close() { l.files.Close() }
