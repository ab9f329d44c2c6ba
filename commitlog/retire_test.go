package commitlog_test

import (
	"bytes"
	"math"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// five is a log of five full segments and one in use.
func five(t testing.TB, fs mapped.FS, root string, settings ...setting) *bed {
	b := begin(t, fs, root, settings...)
	b.fill(6, 3000)
	noErr(t, b.disk.Flush())
	b.log.SetConfirm(b.log.Flushed())
	b.log.SetDispatched(b.log.Confirm())
	return b
}

// Whole segments go, up to the limit and to what is durable, confirmed and
// dispatched, and never the last.
func TestExpireBelow(t *testing.T) {
	for _, c := range []struct {
		limit, want int64
	}{
		{math.MinInt64, 0}, {0, 0}, {segment - 1, 0}, {segment, segment}, {segment + 1, segment},
		{3*segment - 1, 2 * segment}, {3 * segment, 3 * segment}, {math.MaxInt64, 5 * segment},
	} {
		run := func(t *testing.T, fs mapped.FS, root string, mode setting) {
			b := five(t, fs, root, mode)
			got, err := b.log.ExpireBelow(c.limit)
			noErr(t, err)
			equal(t, "min", got, c.want)
			equal(t, "Min", b.log.Min(), c.want)
			equal(t, "first segment", offsets(b.log)[0], c.want)
			list, err := fs.ReadDir(root + "/commitlog")
			noErr(t, err)
			equal(t, "files", len(list), 6-int(c.want/segment))
			got, err = b.log.ExpireBelow(0)
			noErr(t, err)
			equal(t, "min after a lower limit", got, c.want)
			b.fill(3, 3000)
			equal(t, "records", len(records(items(t, b.log, c.want, b.log.Appended()))), 9-int(c.want/segment))
		}
		if c.limit == 3*segment {
			modes(t, run)
		}
		run(t, mappedtest.NewFS(), "/store", staged)
	}
}

func TestExpireHeldBack(t *testing.T) {
	for name, set := range map[string]func(b *bed){
		"dispatched": func(b *bed) { b.log.SetConfirm(b.log.Appended()); b.log.SetDispatched(2*segment + 100) },
		"confirm":    func(b *bed) { b.log.SetConfirm(2*segment + 100); b.log.SetDispatched(1 << 40) },
		"flushed": func(b *bed) {
			b.log.SetConfirm(b.log.Appended())
			b.log.SetDispatched(b.log.Appended())
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := begin(t, mappedtest.NewFS(), "/store", staged)
			b.fill(3, 3000)
			if name == "flushed" {
				noErr(t, b.disk.Flush())
				b.fill(3, 3000)
			} else {
				b.fill(3, 3000)
				noErr(t, b.disk.Flush())
			}
			set(b)
			got, err := b.log.ExpireBelow(math.MaxInt64)
			noErr(t, err)
			equal(t, "min", got, 2*segment)
		})
	}
}

// An unused segment behind the one in use does not make that one expire.
func TestExpireKeepsSegmentInUse(t *testing.T) {
	b := five(t, mappedtest.NewFS(), "/store")
	_, err := b.alloc.Prepare()
	noErr(t, err)
	got, err := b.log.ExpireBelow(math.MaxInt64)
	noErr(t, err)
	equal(t, "min", got, 5*segment)
	same(t, "segments", offsets(b.log), []int64{5 * segment, 6 * segment})
}

// The last segment stays even if all of it is dispatched and durable.
func TestExpireKeepsLast(t *testing.T) {
	fs := mappedtest.NewFS()
	five(t, fs, "/store").log.Close()
	b := open(t, fs, "/store", 0, 6*segment) // as a log ends that was cut at a segment's end
	b.log.SetDispatched(6 * segment)
	got, err := b.log.ExpireBelow(math.MaxInt64)
	noErr(t, err)
	equal(t, "min", got, 5*segment)
	same(t, "segments", offsets(b.log), []int64{5 * segment})
}

// Who holds a segment reads on, while it is gone for everybody else (F36).
func TestExpireUnderReader(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := five(t, fs, root, mode)
		want := b.bytesOf(0, 3000)
		first := b.log.Segments()[0]
		c := b.log.Reader().Cursor()
		guarded(t, func() {
			_, err := c.Bytes(0, 100)
			noErr(t, err)
		})
		_, err := b.log.ExpireBelow(2 * segment)
		noErr(t, err)
		wantMissing(t, b.log.Reader().View(0, 100, func([]byte) error { return nil }), 0, 100, 2*segment, b.log.Appended())
		if _, err := fs.Stat(first.Path()); err == nil {
			t.Error("the file still has its name")
		}
		guarded(t, func() {
			got, err := c.Bytes(0, 3000)
			noErr(t, err)
			equal(t, "same bytes", bytes.Equal(got, want), true)
			_, err = c.Bytes(segment, 10) // the next one is gone for this reader too
			wantMissing(t, err, segment, 10, 2*segment, b.log.Appended())
		})
		c.Close()
		equal(t, "closed", first.Closed(), true)
	})
}

// A removal that fails is tried again with the next call, and nothing is removed
// out of order.
func TestExpireFails(t *testing.T) {
	fs := mappedtest.NewFS()
	s := mappedtest.NewScript(fs)
	b := five(t, s, "/store")
	s.Add(mappedtest.Rule{Op: mappedtest.OpRemove, At: 2, Err: syscall.EBUSY})
	low, err := b.log.ExpireBelow(3 * segment)
	wantErr(t, err, syscall.EBUSY)
	equal(t, "min", low, 3*segment)
	names := func() (list []string) {
		entries, err := fs.ReadDir("/store/commitlog")
		noErr(t, err)
		for _, e := range entries {
			list = append(list, e.Name())
		}
		return list
	}
	equal(t, "first name left", names()[0], mapped.Name(segment))
	low, err = b.log.ExpireBelow(0)
	noErr(t, err)
	equal(t, "min", low, 3*segment)
	equal(t, "first name left", names()[0], mapped.Name(3*segment))
}

// Removed segments leave no gap, whenever the power fails.
func TestExpireCrash(t *testing.T) {
	fs := mappedtest.NewFS()
	s := mappedtest.NewScript(fs)
	b := five(t, s, "/store")
	var images []*mappedtest.FS
	s.Add(mappedtest.Rule{Forever: true, Then: func() {
		for seed := range uint64(3) {
			images = append(images, fs.Crash(seed, mappedtest.Random))
		}
	}})
	_, err := b.log.ExpireBelow(4 * segment)
	noErr(t, err)
	for _, image := range images {
		log, err := commitlog.Open(options(image, "/store"))
		noErr(t, err)
		equal(t, "gaps", len(log.Gaps()), 0)
		log.Close()
	}
	equal(t, "images", len(images) > 10, true)
}

// At a clean stop the segment that was made ready goes.
func TestDropUnused(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := five(t, fs, root, mode)
		noErr(t, b.log.DropUnused())
		equal(t, "segments", len(b.log.Segments()), 6)
		_, err := b.alloc.Prepare()
		noErr(t, err)
		equal(t, "segments", len(b.log.Segments()), 7)
		noErr(t, b.log.DropUnused())
		equal(t, "segments", len(b.log.Segments()), 6)
		list, err := fs.ReadDir(root + "/commitlog")
		noErr(t, err)
		equal(t, "files", len(list), 6)
		noErr(t, b.log.DropUnused())
	})
}

// Close lets go of all files and maps.
func TestCloseLeaksNothing(t *testing.T) {
	fs := mappedtest.NewFS()
	b := five(t, fs, "/store")
	_, err := b.log.ExpireBelow(2 * segment)
	noErr(t, err)
	b.log.Close()
	b.log.Close()
	equal(t, "open files", fs.OpenFiles(), 0)
	equal(t, "mappings", fs.Mappings(), 0)
}
