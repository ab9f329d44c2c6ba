package commitlog_test

import (
	"errors"
	"math"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Every offset and size, however absurd, gives bytes that are there or says
// what the log holds: by View, and by a cursor that holds some other segment.
func TestReadBounds(t *testing.T) {
	b := begin(t, mappedtest.NewFS(), "/store")
	for range 4 {
		b.fill(1, 3000)
	}
	noErr(t, b.disk.Flush())
	end := b.log.Appended() // 3*4096 + 3000
	b.log.SetConfirm(end)
	b.log.SetDispatched(end)
	low, err := b.log.ExpireBelow(segment)
	noErr(t, err)
	equal(t, "min", low, segment)
	places := []int64{math.MinInt64, math.MinInt64 + segment, -segment, -1, 0, 1, segment - 1, segment, segment + 1, 2*segment - 1, 2 * segment,
		3 * segment, end - 1, end, end + 1, 4*segment - 1, 4 * segment, 5 * segment, math.MaxInt64 - segment, math.MaxInt64 - 5, math.MaxInt64}
	sizes := []int{math.MinInt, -1, 0, 1, 8, 100, 3000, segment, segment + 1, math.MaxInt32, math.MaxInt}
	r := b.log.Reader()
	for _, held := range []int64{-1, segment, 2 * segment, 3 * segment} {
		for _, at := range places {
			for _, n := range sizes {
				c := r.Cursor()
				guarded(t, func() {
					if held >= 0 {
						_, err := c.Bytes(held, 1)
						noErr(t, err)
					}
					got, err := c.Bytes(at, n)
					there := n >= 0 && at >= low && at <= end && int64(n) <= end-at &&
						(n == 0 && at == end || at%segment+int64(n) <= segment)
					switch {
					case !there:
						wantMissing(t, err, at, n, low, end)
					case err != nil:
						t.Errorf("%d bytes at %d (held %d): %v", n, at, held, err)
					case len(got) != n:
						t.Errorf("%d bytes at %d: got %d", n, at, len(got))
					}
				})
				c.Close()
			}
		}
	}
}

// What is below Min is gone, although its segment may still be there.
func TestReadBelowMin(t *testing.T) {
	fs := mappedtest.NewFS()
	five(t, fs, "/store").log.Close()
	b := open(t, fs, "/store", segment, 6*segment)
	wantMissing(t, b.log.Reader().View(segment-1, 1, func([]byte) error { return nil }), segment-1, 1, segment, 6*segment)
	noErr(t, b.log.Reader().View(segment, 3000, func([]byte) error { return nil }))
}

func TestView(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := begin(t, fs, root, mode)
		at := b.put(message("t", 0, 1000))
		b.publish()
		r := b.log.Reader()
		noErr(t, r.View(at.PhysicalOffset, at.Size, func(p []byte) error {
			equal(t, "bytes", len(p), 1000)
			return record.Verify(p, at.PhysicalOffset, record.CRCRecord)
		}))
		mine := errors.New("mine")
		if err := r.View(0, 10, func([]byte) error { return mine }); err != mine {
			t.Errorf("got %v, want the error of fn", err)
		}
		wantMissing(t, r.View(0, 1001, func([]byte) error { t.Error("called"); return nil }), 0, 1001, 0, 1000)
		p := make([]byte, 1000)
		noErr(t, r.ReadAt(p, 0))
		noErr(t, record.Verify(p, 0, record.CRCRecord))
		wantMissing(t, r.ReadAt(p, 1), 1, 1000, 0, 1000)
		when, err := r.StoreTimestamp(0, 1000)
		noErr(t, err)
		equal(t, "store time", when, now)
		_, err = r.StoreTimestamp(500, 500)
		wantErr(t, err, record.ErrCorrupt)
		if r.Log() != b.log {
			t.Error("Log is another log")
		}
	})
}

// A panic in fn is not taken for a fault of the disk.
func TestViewPanic(t *testing.T) {
	b := begin(t, mappedtest.NewFS(), "/store")
	b.fill(1, 100)
	defer func() {
		equal(t, "panic", recover(), any("mine"))
		equal(t, "holders", b.log.Segments()[0].Holders(), 0)
	}()
	_ = b.log.Reader().View(0, 100, func([]byte) error { panic("mine") })
}

// A cursor holds one segment at a time and lets it go.
func TestCursorHolds(t *testing.T) {
	b := scanned(t)
	segments := b.log.Segments()
	holders := func(want ...int64) {
		t.Helper()
		for i, n := range want {
			equal(t, "holders", segments[i].Holders(), n)
		}
	}
	c := b.log.Reader().Cursor()
	equal(t, "path", c.Path(), "")
	guarded(t, func() {
		_, err := c.Bytes(1000, 1000)
		noErr(t, err)
		_, err = c.Bytes(0, 1000)
		noErr(t, err)
		holders(1, 0, 0)
		equal(t, "path", c.Path(), segments[0].Path())
		equal(t, "end", c.SegmentEnd(), segment)
		_, err = c.Bytes(segment, 10)
		noErr(t, err)
		holders(0, 1, 0)
		p, err := c.Rest(2*segment+700, math.MaxInt64)
		noErr(t, err)
		equal(t, "rest of the segment", len(p), segment-700) // beyond Appended too
		holders(0, 0, 1)
		p, err = c.Rest(2*segment+700, 2*segment+750)
		noErr(t, err)
		equal(t, "rest to the limit", len(p), 50)
		p, err = c.Rest(2*segment+700, 0)
		noErr(t, err)
		equal(t, "rest to a limit in front", len(p), 0)
		_, err = c.Rest(3*segment, math.MaxInt64)
		wantMissing(t, err, 3*segment, 0, 0, scannedEnd)
	})
	holders(0, 0, 0)
	c.Close()
	guarded(t, func() {
		_, err := c.Bytes(0, 10)
		noErr(t, err)
	})
	c.Close()
	holders(0, 0, 0)
}

// What cannot be read for the disk's sake is a fault, with the file's name.
func TestViewFault(t *testing.T) {
	b := begin(t, mapped.OS(), t.TempDir(), sized(1<<20))
	b.fill(1, 100_000)
	noErr(t, b.disk.Flush())
	noErr(t, b.log.Segments()[0].File().Truncate(0))
	err := b.log.Reader().View(50_000, 10, func(p []byte) error {
		return record.Verify(p, 0, record.CRCNone)
	})
	var fe *mapped.FaultError
	if !errors.As(err, &fe) || fe.Path != b.log.Segments()[0].Path() {
		t.Errorf("got %v, want a *mapped.FaultError for %s", err, b.log.Segments()[0].Path())
	}
}

// A gap between two segments was told as "no 0 bytes at offset 250, the log holds
// [200, 300)".
func TestMissingErrorText(t *testing.T) {
	for _, c := range []struct {
		offset int64
		size   int
		text   string
	}{
		{100, 10, "commit log: no 10 bytes at offset 100, the log holds [200, 300)"},
		{100, 0, "commit log: nothing at offset 100, the log holds [200, 300)"},
		{250, 0, "commit log: no segment holds offset 250, though the log is [200, 300)"},
		{300, 0, "commit log: nothing at offset 300, the log holds [200, 300)"},
	} {
		err := &commitlog.MissingError{Offset: c.offset, Size: c.size, Min: 200, End: 300}
		equal(t, "text", err.Error(), c.text)
	}
}
