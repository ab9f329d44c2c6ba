package commitlog

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Syncer makes what was appended durable. One goroutine at a time may use it.
type Syncer struct {
	log *Log
}

// Syncer gives the flush handle.
func (l *Log) Syncer() *Syncer { return &Syncer{log: l} }

// Flush makes what is appended durable, the older segment before the newer, and
// moves flushed. The first error stays for good: the log is read-only, and no
// later call touches the disk again (I7), because a sync that fails may have
// dropped the very pages that a repeated call would then report as written (A3).
func (s *Syncer) Flush() error {
	l := s.log
	if err := l.Failed(); err != nil {
		return err
	}
	start, to, known := l.last.read(&l.appended)
	if known || l.Flushed() < to {
		// No pair before flushed has come to "to", as this record lies behind every
		// segment's end on the way. If it is not known it is -1, the right one, or
		// one behind "to": no wrong pair either.
		l.synced.start.Store(start)
	}
	for from := l.Flushed(); from < to; {
		f := l.files.Find(from)
		if f == nil {
			return s.fail(from, fmt.Errorf("no segment holds it"))
		}
		end := min(to, f.Offset()+f.Size())
		if err := s.sync(f, from, end); err != nil {
			return s.fail(from, err)
		}
		if err := l.Failed(); err != nil {
			return err // another sync of the log has failed meanwhile
		}
		l.flushed.raise(end)
		from = end
	}
	return nil
}

// sync flushes one segment. A staged log has written with pwrite, where one
// fdatasync is cheapest; a mapped one flushes just the pages of the range,
// because the pages made ready in front of the writer are dirty too.
func (s *Syncer) sync(f *mapped.MappedFile, from, end int64) error {
	if s.log.o.Staged {
		return f.File().Datasync()
	}
	var err error
	if fault := mapped.Guard(func() { err = f.Flush(from-f.Offset(), end-f.Offset()) }); fault != nil {
		return fault
	}
	return err
}

func (s *Syncer) fail(from int64, cause error) error {
	s.log.Fail(fmt.Errorf("flush %s at offset %d: %w", s.log.Path(from), from, cause))
	return s.log.Failed()
}
