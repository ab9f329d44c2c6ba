package commitlog_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// aside keeps cut bytes in a file, durable before it returns.
func (b *bed) aside(offset int64, p []byte) error {
	name := "/store/aside-" + mapped.Name(offset)
	f, err := b.fs.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(p, 0); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return b.fs.SyncDir("/store")
}

func (b *bed) cut(end int64) (n int64, err error) { return b.log.Cut(end, b.aside) }

// bytesOf copies what the files of a log hold in [from, to).
func (b *bed) bytesOf(from, to int64) []byte {
	b.Helper()
	var out []byte
	for _, f := range b.log.Segments() {
		p := make([]byte, segment)
		_, err := f.File().ReadAt(p, 0)
		noErr(b, err)
		lo, hi := max(from, f.Offset()), min(to, f.End())
		if lo < hi {
			out = append(out, p[lo-f.Offset():hi-f.Offset()]...)
		}
	}
	return out
}

func isZero(p []byte) bool { return len(bytes.Trim(p, "\x00")) == 0 }

// Cut keeps what it takes, leaves what is in front, zeroes what is behind and
// drops all segments behind but one.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		end      int64
		segments []int64
	}{
		{0, []int64{0}},
		{1000, []int64{0, segment}},
		{3000, []int64{0, segment}},
		{segment, []int64{0, segment}},
		{segment + 2000, []int64{0, segment, 2 * segment}},
		{2 * segment, []int64{0, segment, 2 * segment}},
		{scannedEnd - 400, []int64{0, segment, 2 * segment, 3 * segment}},
		{scannedEnd, []int64{0, segment, 2 * segment, 3 * segment}},
		{3 * segment, []int64{0, segment, 2 * segment, 3 * segment}},
	} {
		t.Run(fmt.Sprint(c.end), func(t *testing.T) {
			b := scanned(t)
			_, err := b.alloc.Prepare()
			noErr(t, err)
			before := b.bytesOf(0, 4*segment)
			kept := make([]byte, len(before))
			var total int64
			n, err := b.log.Cut(c.end, func(offset int64, p []byte) error {
				copy(kept[offset:], p)
				total += int64(len(p))
				if p[len(p)-1] == 0 {
					t.Error("zeros were kept")
				}
				return nil
			})
			noErr(t, err)
			equal(t, "bytes cut", n, total)
			after := b.bytesOf(0, 4*segment)
			if end := min(c.end, int64(len(after))); !bytes.Equal(after[:end], before[:end]) {
				t.Error("bytes in front of the end were changed")
			} else if !isZero(after[end:]) {
				t.Error("bytes behind the end are left")
			}
			if c.end < int64(len(before)) && !bytes.Equal(kept[c.end:], before[c.end:]) {
				t.Error("what was kept is not what stood there")
			}
			same(t, "segments", offsets(b.log), c.segments)
			n, err = b.cut(c.end)
			noErr(t, err)
			equal(t, "bytes cut again", n, 0)
		})
	}
}

// The log goes on where it was cut as if nothing had stood behind.
func TestAppendAfterCut(t *testing.T) {
	for _, end := range []int64{0, 1000, 3000, segment, 2 * segment} {
		b := scanned(t)
		_, err := b.cut(end)
		noErr(t, err)
		b.log.Restore(0, 0, end)
		b.out = b.log.Appender(b.alloc, commitlog.NewOffsetTable())
		b.fill(3, 1500)
		noErr(t, b.disk.Flush())
		list := records(items(t, b.log, end, b.log.Appended()))
		equal(t, "records", len(list), 3)
		_, err = scan(t, b.log, b.log.Appended(), 1<<40)
		wantErr(t, err, commitlog.ErrUnwritten)
	}
}

// Nothing is zeroed that could not be kept, and every step that fails ends it.
func TestCutFails(t *testing.T) {
	b := scanned(t)
	before := b.bytesOf(0, 3*segment)
	mine := errors.New("mine")
	_, err := b.log.Cut(1000, func(int64, []byte) error { return mine })
	wantErr(t, err, mine)
	if !bytes.Equal(b.bytesOf(0, 3*segment), before) {
		t.Error("bytes changed that were not kept")
	}

	for k := 1; ; k++ {
		fs := mappedtest.NewFS()
		count := mappedtest.NewScript(fs)
		b := begin(t, count, "/store")
		for _, size := range []int{1000, 1000, 1000, 2000, 1500, 800} {
			b.fill(1, size)
		}
		noErr(t, b.disk.Flush())
		calls := count.Calls()
		count.FailAt(k, syscall.EIO)
		_, err := b.cut(1000)
		if err == nil {
			if count.Calls()-calls < 10 {
				t.Errorf("only %d calls", count.Calls()-calls)
			}
			break
		}
		wantErr(t, err, syscall.EIO)
		count.Clear()
		_, err = b.cut(1000) // not what the store does: it opens anew
		noErr(t, err)
		if !isZero(b.bytesOf(1000, 3*segment)) {
			t.Error("bytes behind the end are left")
		}
	}
}

// A crash at any call of a Cut, whatever the disk keeps of it, loses nothing:
// what is in front of the end is whole, and what was behind is still there or
// kept aside. The Cut can then be made again, and once it has returned no crash
// brings a byte back.
func TestCutCrash(t *testing.T) {
	const end = 1000
	fs := mappedtest.NewFS()
	s := mappedtest.NewScript(fs)
	b := begin(t, s, "/store")
	for _, size := range []int{1000, 1000, 1000, 2000, 1500, 800} {
		b.fill(1, size)
	}
	noErr(t, b.disk.Flush())
	noErr(t, fs.SyncFS("/store"))
	before := b.bytesOf(0, 3*segment)
	var images []*mappedtest.FS
	snap := func() {
		images = append(images, fs.Kill())
		for _, m := range mappedtest.Modes() {
			images = append(images, fs.Crash(uint64(len(images)), m))
		}
	}
	s.Add(mappedtest.Rule{Forever: true, Before: snap})
	_, err := b.cut(end)
	noErr(t, err)
	s.Clear()
	snap()
	for i, image := range images {
		again := open(t, image, "/store", 0, end)
		if !bytes.Equal(again.bytesOf(0, end), before[:end]) {
			t.Fatalf("image %d: bytes in front of the end were changed", i)
		}
		kept := again.keptOrThere(len(before))
		if !bytes.Equal(kept[end:], before[end:]) {
			t.Fatalf("image %d: bytes are neither in the log nor aside", i)
		}
		_, err := again.cut(end)
		noErr(t, err)
		for _, m := range []mappedtest.Mode{mappedtest.Nothing, mappedtest.Random, mappedtest.Everything} {
			last := open(t, image.Crash(uint64(i), m), "/store", 0, end)
			if !isZero(last.bytesOf(end, 3*segment)) {
				t.Fatalf("image %d: a crash after the second Cut brings bytes back", i)
			}
			// A name whose removal was not durable may come back, with zeros.
			same(t, "segments", offsets(last.log)[:2], []int64{0, segment})
			last.log.Close()
		}
		again.log.Close()
	}
	if len(images) < 100 {
		t.Errorf("only %d images", len(images))
	}
}

// keptOrThere lays what stands in the log over what was kept aside: a byte that
// is zero in the log counts as kept.
func (b *bed) keptOrThere(n int) []byte {
	b.Helper()
	out := make([]byte, n)
	list, err := b.fs.ReadDir("/store")
	noErr(b, err)
	for _, e := range list {
		digits, ok := strings.CutPrefix(e.Name(), "aside-")
		if !ok {
			continue
		}
		offset, err := strconv.ParseInt(digits, 10, 64)
		noErr(b, err)
		f, err := b.fs.OpenFile("/store/"+e.Name(), os.O_RDONLY, 0)
		noErr(b, err)
		size, err := f.Size()
		noErr(b, err)
		p := make([]byte, size)
		_, _ = f.ReadAt(p, 0)
		copy(out[offset:], p)
		noErr(b, f.Close())
	}
	for _, f := range b.log.Segments() {
		p := make([]byte, segment)
		_, err := f.File().ReadAt(p, 0)
		noErr(b, err)
		for i, c := range p {
			if at := f.Offset() + int64(i); c != 0 && at < int64(n) {
				out[at] = c
			}
		}
	}
	return out
}

// A page that cannot be read stops the Cut before anything is zeroed.
func TestCutFault(t *testing.T) {
	root := t.TempDir()
	b := begin(t, mapped.OS(), root, sized(1<<20))
	b.fill(1, 500_000)
	noErr(t, b.disk.Flush())
	noErr(t, b.log.Segments()[0].File().Truncate(0))
	_, err := b.log.Cut(1000, func(int64, []byte) error { t.Error("kept what cannot be read"); return nil })
	var fe *mapped.FaultError
	if !errors.As(err, &fe) {
		t.Errorf("got %v, want a *mapped.FaultError", err)
	}
}

// A process that dies in the middle of a Cut leaves no zeros in front of records: what
// is there is what was, up to a place behind which nothing is.
func TestCutLeavesNoHole(t *testing.T) {
	const size = 3 << 20
	fs := mappedtest.NewFS()
	s := mappedtest.NewScript(fs)
	b := begin(t, s, "/store", sized(size))
	for range 9 {
		b.fill(1, 1<<20)
	}
	end := b.log.Appended()
	first := records(items(t, b.log, 0, end))[1].offset
	before := b.bytesOfAll(size)
	failed := errors.New("killed")
	for k := 1; ; k++ {
		s.FailAt(k, failed)
		_, err := b.log.Cut(first, func(int64, []byte) error { return nil })
		s.Clear()
		now := b.bytesOfAll(size)
		written := len(bytes.TrimRight(now, "\x00"))
		if !bytes.Equal(now[:written], before[:written]) {
			t.Fatalf("cut short at call %d, something is missing in front of %d", k, written)
		}
		if err == nil {
			equal(t, "bytes are left", int64(written) <= first, true)
			return
		}
	}
}

// bytesOfAll is what stands in all segments of a size.
func (b *bed) bytesOfAll(size int64) []byte {
	b.Helper()
	var out []byte
	for _, f := range b.log.Segments() {
		p := make([]byte, size)
		_, err := f.File().ReadAt(p, 0)
		noErr(b, err)
		out = append(out, p...)
	}
	return out
}
