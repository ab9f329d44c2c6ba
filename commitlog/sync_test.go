package commitlog_test

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// syncs are the calls that make bytes of the log durable, in order.
func syncs(s *mappedtest.Script, from int) (list []string) {
	for _, c := range s.Trace() {
		switch c.Op {
		case mappedtest.OpDatasync, mappedtest.OpSync, mappedtest.OpFlush, mappedtest.OpSyncFS:
			if c.N > from {
				list = append(list, fmt.Sprintf("%s %s [%d,%d)", c.Op, c.Path[len("/store/commitlog/"):], c.Off, c.Off+c.Len))
			}
		}
	}
	return list
}

// The older segment is synced before the newer one, and just what is needed: one
// fdatasync of a staged file, the pages of the range of a mapped one.
func TestFlushOrder(t *testing.T) {
	for name, want := range map[string][]string{
		"staged": {"datasync 00000000000000000000 [0,0)", "datasync 00000000000000004096 [0,0)", "datasync 00000000000000008192 [0,0)"},
		"mapped": {"flush 00000000000000000000 [3000,4096)", "flush 00000000000000004096 [0,4096)", "flush 00000000000000008192 [0,2500)"},
	} {
		t.Run(name, func(t *testing.T) {
			s := mappedtest.NewScript(mappedtest.NewFS())
			b := begin(t, s, "/store", func(o *commitlog.Options) { o.Staged = name == "staged" })
			b.fill(1, 3000)
			noErr(t, b.disk.Flush())
			b.fill(2, 2500)
			from := s.Calls()
			noErr(t, b.disk.Flush())
			same(t, "syncs", syncs(s, from), want)
			equal(t, "flushed", b.log.Flushed(), b.log.Appended())
			from = s.Calls()
			noErr(t, b.disk.Flush())
			equal(t, "calls of a flush with nothing to do", s.Calls(), from)
		})
	}
}

// What Flushed covers is on disk after any power cut (A1..A3), record by record.
func TestFlushedSurvives(t *testing.T) {
	for name, mode := range map[string]setting{"staged": staged, "mapped": func(*commitlog.Options) {}} {
		t.Run(name, func(t *testing.T) {
			fs := mappedtest.NewFS()
			b := begin(t, fs, "/store", mode)
			for i := range 30 {
				b.fill(1, 300+i*40)
				if i%3 == 0 {
					noErr(t, b.disk.Flush())
				}
				end, n := b.log.Flushed(), i/3*3+1
				for _, crash := range mappedtest.Modes() {
					after := open(t, fs.Crash(uint64(i), crash), "/store", 0, end, mode)
					equal(t, fmt.Sprintf("records after %v", crash), len(records(items(t, after.log, 0, end))), n)
					after.log.Close()
				}
			}
		})
	}
}

// The first failed sync is the last sync of all (I7).
func TestFailedSyncLatches(t *testing.T) {
	ops := map[string]mappedtest.Op{"staged": mappedtest.OpDatasync, "mapped": mappedtest.OpFlush}
	for name, op := range ops {
		for at, flushed := range map[int]int64{1: 1000, 2: segment} { // the first or the second segment fails
			t.Run(fmt.Sprint(name, at), func(t *testing.T) {
				s := mappedtest.NewScript(mappedtest.NewFS())
				b := begin(t, s, "/store", func(o *commitlog.Options) { o.Staged = name == "staged" })
				b.fill(1, 1000)
				noErr(t, b.disk.Flush())
				b.log.SetConfirm(b.log.Flushed())
				b.fill(2, 3000)
				s.Add(mappedtest.Rule{Op: op, At: at, Err: syscall.EIO})
				wantErr(t, b.disk.Flush(), commitlog.ErrReadOnly, syscall.EIO)
				from := s.Calls()
				for range 3 {
					wantErr(t, b.disk.Flush(), commitlog.ErrReadOnly, syscall.EIO)
					wantErr(t, b.log.Syncer().Flush(), commitlog.ErrReadOnly, syscall.EIO)
					_, err := b.append(message("t", 0, 100))
					wantErr(t, err, commitlog.ErrReadOnly, syscall.EIO)
				}
				same(t, "syncs after the failure", syncs(s, from), []string{})
				equal(t, "flushed", b.log.Flushed(), flushed)
				equal(t, "confirm", b.log.Confirm(), 1000)
				equal(t, "appended", b.log.Appended(), 4096+3000)
			})
		}
	}
}

// A flush that finds no segment fails like any other.
func TestFlushWithoutSegment(t *testing.T) {
	b := begin(t, mappedtest.NewFS(), "/store", staged)
	b.fill(1, 100)
	b.log.Close()
	wantErr(t, b.disk.Flush(), commitlog.ErrReadOnly)
	equal(t, "flushed", b.log.Flushed(), 0)
}

// A mapped segment whose file was cut behind its back fails the flush or the
// append with an error, and never the process.
func TestFileCutBehindMapping(t *testing.T) {
	const big = 1 << 20
	b := begin(t, mapped.OS(), t.TempDir(), sized(big))
	b.fill(1, 1000)
	noErr(t, b.log.Segments()[0].File().Truncate(0))
	var err error
	fault := mapped.Guard(func() { _, err = b.out.Append(message("t", 0, 100_000), now) })
	var fe *mapped.FaultError
	if !errors.As(fault, &fe) {
		t.Fatalf("got fault %v, error %v, want a *mapped.FaultError", fault, err)
	}
}

// FlushedRecord is a pair that belongs together, or nothing.
func TestFlushedRecord(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := begin(t, fs, root, mode)
		check := func(start, end int64, ok bool) {
			t.Helper()
			s, e, o := b.log.FlushedRecord()
			if o != ok || ok && (s != start || e != end) {
				t.Errorf("got [%d, %d) %v, want [%d, %d) %v", s, e, o, start, end, ok)
			}
		}
		check(0, 0, false)
		b.fill(2, 1000)
		check(0, 0, false)
		noErr(t, b.disk.Flush())
		check(1000, 2000, true)
		noErr(t, b.disk.Flush())
		check(1000, 2000, true)
		b.fill(1, 500)
		check(1000, 2000, true)
		ms := messages(3, 400)
		_, err := b.appendBatch(ms)
		noErr(t, err)
		b.publish()
		noErr(t, b.disk.Flush())
		check(3300, 3700, true)
		b.fill(1, 1000) // the next segment
		noErr(t, b.disk.Flush())
		check(4096, 5096, true)

		end := b.log.Appended()
		b.log.Close()
		b = open(t, fs, root, 0, end, mode)
		check(0, 0, false) // not known
		noErr(t, b.disk.Flush())
		check(0, 0, false)
		b.log.RestoreLast(4096)
		check(4096, 5096, true)
		b.fill(1, 100)
		noErr(t, b.disk.Flush())
		check(5096, 5196, true)
	})
}

// A flush that ends, or has to stop, at a segment's end leaves no pair: no
// record ends there.
func TestFlushedRecordAtSegmentEnd(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store", staged)
	b.fill(1, 1000)
	noErr(t, b.disk.Flush())
	b.fill(2, 3000)
	none := func() {
		equal(t, "flushed", b.log.Flushed(), segment)
		if start, end, ok := b.log.FlushedRecord(); ok {
			t.Errorf("got a record [%d, %d), want none", start, end)
		}
	}
	s.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, At: 2, Err: syscall.EIO, Before: none})
	wantErr(t, b.disk.Flush(), syscall.EIO)
	none()
}
