package indexsvc

import "fmt"

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
