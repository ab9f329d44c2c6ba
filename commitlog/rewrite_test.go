package commitlog_test

import (
	"bytes"
	"fmt"
	"io"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// After a failed sync the page cache shows bytes that the disk has lost, and
// another sync succeeds without them (A3). Rewrite puts them on the disk.
func TestRewriteAfterFailedSync(t *testing.T) {
	for name, op := range map[string]mappedtest.Op{"staged": mappedtest.OpDatasync, "mapped": mappedtest.OpFlush} {
		t.Run(name, func(t *testing.T) {
			fs := mappedtest.NewFS()
			s := mappedtest.NewScript(fs)
			mode := setting(staged)
			if name == "mapped" {
				mode = sized(segment)
			}
			b := begin(t, s, "/store", mode)
			b.fill(1, 1000)
			noErr(t, b.disk.Flush())
			b.fill(4, 2500)
			end := b.log.Appended()
			s.Add(mappedtest.Rule{Op: op, Forever: true, Err: syscall.EIO})
			wantErr(t, b.disk.Flush(), syscall.EIO)

			killed := fs.Kill()
			b = open(t, killed, "/store", 0, end, mode)
			equal(t, "records in the cache", len(records(items(t, b.log, 0, end))), 5)
			noErr(t, b.log.Segments()[0].File().Sync())
			lost := open(t, killed.Crash(1, mappedtest.Nothing), "/store", 0, end, mode)
			if list, err := scan(t, lost.log, 0, end); err == io.EOF {
				t.Fatalf("the disk has all %d records: the test proves nothing", len(list))
			}
			want := b.bytesOf(0, end)
			noErr(t, durably(b.log, 1000, end))
			equal(t, "bytes after rewriting", bytes.Equal(b.bytesOf(0, end), want), true)
			for _, m := range mappedtest.Modes() {
				after := open(t, killed.Crash(2, m), "/store", 0, end, mode)
				equal(t, fmt.Sprintf("records after %v", m), len(records(items(t, after.log, 0, end))), 5)
				after.log.Close()
			}
		})
	}
}

// durably writes a range again, and syncs it.
func durably(l *commitlog.Log, from, end int64) error {
	if err := l.Rewrite(from, end); err != nil {
		return err
	}
	return l.SyncRewritten(from, end)
}

// Each segment is synced once, when all is written, and a failure ends it.
func TestRewriteOrder(t *testing.T) {
	fs := mappedtest.NewFS()
	s := mappedtest.NewScript(fs)
	b := begin(t, s, "/store", sized(3<<20))
	for range 4 {
		b.fill(1, 2<<20)
	}
	end := b.log.Appended()
	from := s.Calls()
	noErr(t, durably(b.log, 100, end))
	var got []string
	for _, c := range s.Trace() {
		if c.N > from && (c.Op == mappedtest.OpWrite || c.Op == mappedtest.OpWriteback || c.Op == mappedtest.OpDatasync) {
			got = append(got, fmt.Sprintf("%s %s %d %d\n", c.Op, c.Path[len(c.Path)-8:], c.Off, c.Len))
		}
	}
	const m = 1 << 20
	var want, synced []string
	for i := range int64(4) {
		first, name := int64(0), mapped.Name(i * 3 * m)[12:]
		if i == 0 {
			first = 100
		}
		last := int64(3 * m)
		if i == 3 {
			last = 2 * m
		}
		for at := first; at < last; at += m {
			for _, call := range []string{"write", "writeback"} { // the disk begins at once
				want = append(want, fmt.Sprintf("%s %s %d %d\n", call, name, at, min(m, last-at)))
			}
		}
		synced = append(synced, fmt.Sprintf("datasync %s 0 0\n", name))
	}
	same(t, "calls", got, append(want, synced...))
	calls := s.Calls() - from
	for k := 1; k <= calls; k += 3 {
		s.FailAt(k, syscall.EIO)
		from = s.Calls()
		wantErr(t, durably(b.log, 100, end), syscall.EIO)
		equal(t, "calls up to the failure", s.Calls()-from, k)
		s.Clear()
	}
}

func TestRewriteNothing(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store")
	b.fill(1, 1000)
	from := s.Calls()
	noErr(t, durably(b.log, 1000, 1000))
	equal(t, "calls", s.Calls(), from)
	if b.log.Rewrite(500, segment+1) == nil || b.log.SyncRewritten(500, segment+1) == nil {
		t.Error("rewrote what no segment holds")
	}
}
