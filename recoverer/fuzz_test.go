package recoverer_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// fuzzedLog is how much of the log FuzzRecover sets: two segments.
const fuzzedLog = 2 * segmentSize

// fuzzed are the stores whose log is set: one without checksums of whole records
// and without a mark, as of another engine, one that was killed, and one that was
// closed.
func fuzzed(t testing.TB) (images []*mappedtest.FS) {
	other := newFS()
	s := open(t, other, withoutCRC)
	s.write(0, 20, -1)
	s.kill()
	if err := other.Remove(s.layout.MarkFile()); err != nil {
		t.Fatal(err)
	}
	killed := newFS()
	s = open(t, killed)
	s.write(0, 20, 12)
	s.kill()
	closed := newFS()
	s = open(t, closed)
	s.write(0, 20, 12)
	s.close()
	return []*mappedtest.FS{other, killed, closed}
}

// FuzzRecover lets the log of a store begin with arbitrary bytes. Recovery ends
// with a store or with an error; a store takes a message if it does not say that
// it is read-only; and the next recovery finds all that this one has found. It may
// find more: some records it can prove only with the mark that this one has left.
func FuzzRecover(f *testing.F) {
	images := fuzzed(f)
	for i, fsys := range images {
		good := make([]byte, fuzzedLog)
		onLog(f, fsys, good, mapped.File.ReadAt)
		f.Add(uint8(i), good)
		f.Add(uint8(i), good[:segmentSize])
		f.Add(uint8(i), good[segmentSize:])
		f.Add(uint8(i), make([]byte, 600))
		f.Add(uint8(i), []byte("\x00\x00\x01\x00\xda\xa3\x20\xa7"))
	}
	f.Fuzz(func(t *testing.T, which uint8, b []byte) {
		fsys := images[int(which)%len(images)].Kill()
		onLog(t, fsys, b[:min(len(b), fuzzedLog)], mapped.File.WriteAt)
		s, err := tryOpen(t, fsys)
		if err != nil {
			return
		}
		defer func() { s.release() }()
		if s.report.ReadOnly == nil {
			s.put(message("new", 0, 0, 50))
			if got := s.read("new", 0); !strings.HasSuffix(got, ":a") {
				t.Errorf("a message that was put: %s", got)
			}
		}
		end, was := s.log.Appended(), s.readable()
		s.kill()
		if s, err = tryOpen(t, fsys); err != nil {
			t.Fatalf("opens once: %v", err)
		}
		if got := s.log.Appended(); got != end {
			t.Errorf("the log ends at %d, then at %d", end, got)
		}
		now := s.readable()
		for what := range was {
			if !now[what] {
				t.Errorf("%s was there and is gone", what)
			}
		}
	})
}

// onLog reads or writes the first bytes of the log.
func onLog(t testing.TB, fsys mapped.FS, b []byte, do func(mapped.File, []byte, int64) (int, error)) {
	t.Helper()
	for at := 0; at < len(b); at += segmentSize {
		f, err := fsys.OpenFile(filepath.Join("/store/commitlog", mapped.Name(int64(at))), os.O_RDWR, 0)
		if err == nil {
			_, err = do(f, b[at:min(at+segmentSize, len(b))], 0)
			err = errors.Join(err, f.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// readable are the messages that can be read and have a checksum of the whole
// record: of others any bit outside of the body may have changed unnoticed.
func (s *store) readable() map[string]bool {
	all := map[string]bool{}
	for q := range s.queues.All() {
		var u [1]consumequeue.Unit
		for at := q.MinOffset(); at < q.MaxOffset(); at++ {
			if n, err := q.Read(at, u[:]); err != nil || n == 0 {
				continue
			}
			_ = s.log.Reader().View(u[0].PhysicalOffset, int(u[0].Size), func(b []byte) error {
				if record.HasRecordCRC(b) && record.Verify(b, u[0].PhysicalOffset, record.CRCRecord) == nil {
					all[fmt.Sprintf("%s-%d at %d: the record at %d", q.Topic(), q.ID(), at, u[0].PhysicalOffset)] = true
				}
				return nil
			})
		}
	}
	return all
}
