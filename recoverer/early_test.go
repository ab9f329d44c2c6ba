package recoverer_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

const logFiles = "/store/commitlog/*"

// lostPages is a store of three segments that nothing is proven of: what the page
// cache shows of the log is not on the disk.
func lostPages(t *testing.T) (fs *mappedtest.FS, end int64) {
	fs = newFS()
	script := mappedtest.NewScript(fs)
	s := open(t, script)
	for i := range 40 {
		s.add(message("T", 0, i, 100))
	}
	script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: logFiles, Forever: true, Err: syscall.EIO})
	if err := s.sync.Flush(); err == nil {
		t.Fatal("the flush did not fail")
	}
	script.Clear()
	end = s.log.Appended()
	s.kill()
	return fs.Kill(), end
}

// TestEarlyRewriting: however a scan is cut into chunks, and in whatever order they are
// scanned, every byte of the log is written once before it is synced, and is on disk.
func TestEarlyRewriting(t *testing.T) {
	for _, chunk := range []int64{97, 1000, 4096, 1 << 20} {
		for name, order := range map[string][]option{"in order": nil, "backwards": {indexFirst}, "at once": {parallel}} {
			t.Run(fmt.Sprint(chunk, " ", name), func(t *testing.T) {
				defer recoverer.ScanInChunks(chunk)()
				defer recoverer.ShortSteps(1, 4096, 4096)() // marks on the way
				image, end := lostPages(t)
				script := mappedtest.NewScript(image)
				s := open(t, script, order...)
				s.kill()
				if s.report.End != end || s.report.ReadOnly != nil {
					t.Fatalf("end %d of %d, %v", s.report.End, end, s.report.ReadOnly)
				}
				writtenOnce(t, script, end)
				check(t, image.DropCaches(), map[string]int{"T-0": 40})
			})
		}
	}
}

// writtenOnce wants every byte of the log written once, and its segment synced behind
// that.
func writtenOnce(t *testing.T, script *mappedtest.Script, end int64) {
	t.Helper()
	times := make([]int, end)
	synced := make([]bool, end)
	for _, c := range script.Trace() {
		i := strings.LastIndex(c.Path, "/commitlog/")
		if i < 0 {
			continue
		}
		base, ok := mapped.ParseName(c.Path[i+len("/commitlog/"):])
		for at := base; ok && at < min(base+segmentSize, end); at++ {
			switch in := at - base; {
			case c.Op == mappedtest.OpWrite && in >= c.Off && in < c.Off+c.Len:
				times[at]++
				synced[at] = false
			case c.Op == mappedtest.OpDatasync:
				synced[at] = true
			}
		}
	}
	for at := range times {
		if times[at] != 1 || !synced[at] {
			t.Fatalf("offset %d was written %d times, synced %v", at, times[at], synced[at])
		}
	}
}

// TestEarlyRewritingFails: a write that fails while the log is scanned is not tried
// again. The log ends at what is proven, and nothing is lost.
func TestEarlyRewritingFails(t *testing.T) {
	defer recoverer.ScanInChunks(1000)()
	failed := 0
	for n := 1; n <= 30; n++ {
		image, _ := lostPages(t)
		script := mappedtest.NewScript(image, mappedtest.Rule{Op: mappedtest.OpWrite, Path: logFiles, At: n, Err: syscall.EIO})
		s := open(t, script)
		if s.report.ReadOnly != nil {
			failed++
			if s.report.End != 0 || s.report.Rewritten != 0 {
				t.Errorf("write %d: the log ends at %d, %d rewritten", n, s.report.End, s.report.Rewritten)
			}
		}
		s.kill()
		if n := len(script.Trace()); n == 0 {
			t.Fatal("nothing was called")
		}
		check(t, image.Kill(), map[string]int{"T-0": 40})
	}
	if failed < 5 {
		t.Errorf("%d writes failed", failed)
	}
}

// TestNothingIsWrittenInDoubt: the last segment is gone. Nothing of the store is written.
func TestNothingIsWrittenInDoubt(t *testing.T) {
	defer recoverer.ScanInChunks(1000)()
	s := open(t, newFS())
	for i := range 40 {
		s.put(message("T", 0, i, 100))
	}
	s.summary()
	s.mark()
	segments := s.log.Segments()
	s.kill()
	remove(t, s.fs, segments[len(segments)-1].Path())
	script := mappedtest.NewScript(s.fs)
	s = open(t, script)
	defer s.kill()
	if s.report.ReadOnly == nil {
		t.Fatal("the store takes puts")
	}
	for _, c := range script.Trace() {
		if c.Op == mappedtest.OpWrite && strings.Contains(c.Path, "/commitlog/") {
			t.Errorf("written: %s", c)
		}
	}
}
