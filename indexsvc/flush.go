package indexsvc

import (
	"bytes"
	"fmt"
	"os"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Flush makes durable what was put before the call. Puts and queries go on
// beside it. A file whose flush failed is not flushed again: the error comes back
// until the file is dropped and built anew.
func (s *Service) Flush() error {
	for _, f := range s.list() {
		if err := f.flush(); err != nil {
			return err
		}
	}
	return nil
}

func (f *indexFile) flush() error {
	f.flushMu.Lock()
	defer f.flushMu.Unlock()
	if f.flushErr != nil {
		return f.flushErr
	}
	n := f.count.Load()
	if f.flushed == n || f.readOnly {
		return nil
	}
	if err := f.sync(); err != nil {
		if f.retired() {
			return nil // dropped meanwhile
		}
		f.flushErr = fmt.Errorf("flush index file %s: %w", f.path, err)
		return f.flushErr
	}
	f.flushed = n
	return nil
}

// FlushedEndTimestamp is what RocketMQ keeps as indexMsgTimestamp: the
// endTimestamp, ms, of the newest full file that Flush made durable together
// with all before it; 0 if there is none. A service that was just opened knows
// of none before its first Flush.
func (s *Service) FlushedEndTimestamp() int64 {
	var end int64
	for _, f := range s.list() {
		if !f.full() || !f.durable() {
			break
		}
		end = f.endTime.Load()
	}
	return end
}

func (f *indexFile) durable() bool {
	f.flushMu.Lock()
	defer f.flushMu.Unlock()
	return f.flushErr == nil && f.flushed == f.count.Load()
}

// Rewrite writes the bytes of the file of a name and of all behind it once more,
// so that the next Flush makes durable what can be read. After an unclean stop
// that is not so by itself: a sync that failed may have left pages behind that
// are not on disk and count as written.
func (s *Service) Rewrite(name string) error {
	if err := s.changeable(); err != nil {
		return err
	}
	for _, f := range s.list() {
		if f.name < name {
			continue
		}
		if err := f.rewrite(); err != nil {
			return err
		}
	}
	return nil
}

func (f *indexFile) rewrite() error {
	file, err := f.fs.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		return fmt.Errorf("open index file: %w", err)
	}
	defer file.Close()
	m, err := f.acquire()
	if err != nil {
		return err
	}
	defer m.Release()
	buf := make([]byte, min(f.geo.Size(), 1<<20))
	none := make([]byte, len(buf))
	for _, e := range mapped.ExtentsOf(file, 0, f.geo.Size(), f.geo.Size()) {
		for at := e.From; at < e.To; at += int64(len(buf)) {
			b := buf[:min(int64(len(buf)), e.To-at)]
			if _, err := file.ReadAt(b, at); err != nil {
				return fmt.Errorf("read index file again: %w", err)
			}
			if err := mapped.Refresh(m.Region(), at, int64(len(b))); err != nil {
				return fmt.Errorf("let go of the index file: %w", err)
			}
			if bytes.Equal(b, none[:len(b)]) {
				continue // as it was made
			}
			if _, err := file.WriteAt(b, at); err != nil {
				return fmt.Errorf("write index file again: %w", err)
			}
		}
	}
	f.flushMu.Lock()
	f.flushed = 0
	f.flushMu.Unlock()
	return nil
}
