package commitlogtest

import (
	"errors"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Open opens a log that is known to hold [min, end) and closes it with the test;
// its directory is made where there is none, unless the log is to be read only.
func Open(t testing.TB, o commitlog.Options, min, end int64) *commitlog.Log {
	t.Helper()
	if !o.ReadOnly {
		NoErr(t, o.FS.MkdirAll(o.Dir))
	}
	log, err := commitlog.Open(o)
	NoErr(t, err)
	t.Cleanup(log.Close)
	log.Restore(min, min, end)
	return log
}

// Put appends one message with a store time in ms, publishes and confirms it.
func Put(t testing.TB, log *commitlog.Log, out *commitlog.Appender, m *record.Message, ms int64) (at commitlog.Appended) {
	t.Helper()
	var err error
	fault := mapped.Guard(func() {
		if at, err = out.Append(m, ms); err == nil {
			err = out.Publish()
		}
	})
	NoErr(t, errors.Join(fault, err))
	log.SetConfirm(log.Appended())
	return at
}

// Write changes bytes of the log behind its back. They stand in one segment.
func Write(t testing.TB, log *commitlog.Log, offset int64, p []byte) {
	t.Helper()
	for _, f := range log.Segments() {
		if offset >= f.Offset() && offset+int64(len(p)) <= f.End() {
			_, err := f.File().WriteAt(p, offset-f.Offset())
			NoErr(t, err)
			return
		}
	}
	t.Fatalf("no segment holds %d bytes at %d", len(p), offset)
}
