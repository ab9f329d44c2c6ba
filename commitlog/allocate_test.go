package commitlog_test

import (
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// While a log is written there is one unused segment, whenever Prepare runs.
func TestPrepareKeepsOne(t *testing.T) {
	modes(t, func(t *testing.T, fs mapped.FS, root string, mode setting) {
		b := begin(t, fs, root, mode)
		f, err := b.alloc.Prepare()
		if f != nil || err != nil {
			t.Errorf("Prepare of an empty log: got %v, %v, want nothing", f, err)
		}
		for i := range 60 {
			b.fill(1, 100+i*30)
			f, err := b.alloc.Prepare()
			noErr(t, err)
			segments := b.log.Segments()
			unused := 0
			for _, s := range segments {
				if s.Offset() >= b.log.Appended() {
					unused++
				}
			}
			equal(t, "unused segments", unused, 1)
			if f != nil && f != segments[len(segments)-1] {
				t.Errorf("Prepare gives %d, made %d", f.Offset(), segments[len(segments)-1].Offset())
			}
			f, err = b.alloc.Prepare()
			if f != nil || err != nil {
				t.Errorf("a second Prepare: got %v, %v, want nothing", f, err)
			}
		}
	})
}

// The segment made ready is the one that is taken, and no other is made.
func TestTakePrepared(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store")
	b.fill(1, 3000)
	f, err := b.alloc.Prepare()
	noErr(t, err)
	made := s.Count(mappedtest.OpRename)
	b.fill(1, 3000)
	equal(t, "segments made", s.Count(mappedtest.OpRename), made)
	got, err := b.alloc.Take(segment)
	noErr(t, err)
	if got != f {
		t.Errorf("took %v, want the segment that was prepared", got)
	}
}

// A segment that cannot be made ready costs nothing but the try.
func TestPrepareFails(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store")
	b.fill(1, 1000)
	s.Add(mappedtest.Rule{Op: mappedtest.OpAllocate, Err: syscall.ENOSPC})
	f, err := b.alloc.Prepare()
	wantErr(t, err, commitlog.ErrNoSegment, syscall.ENOSPC)
	if f != nil {
		t.Errorf("got a segment %v with the error", f)
	}
	noErr(t, b.log.Failed())
	b.fill(1, 1000)
	f, err = b.alloc.Prepare()
	noErr(t, err)
	equal(t, "offset", f.Offset(), segment)
}

// A segment is seen at its full size with its disk space or not at all, and its
// name is durable before a byte goes into it.
func TestSegmentIsWholeAfterCrash(t *testing.T) {
	fs := mappedtest.NewFS()
	s := mappedtest.NewScript(fs)
	b := begin(t, s, "/store")
	images := map[string]*mappedtest.FS{}
	s.Add(mappedtest.Rule{Forever: true, Then: func() {
		for _, m := range mappedtest.Modes() {
			images[m.String()+"@"+string(rune('a'+len(images)%26))] = fs.Crash(uint64(len(images)), m)
		}
	}})
	b.fill(2, 3000)
	_, err := b.alloc.Prepare()
	noErr(t, err)
	s.Clear()
	for name, image := range images {
		list, err := image.ReadDir("/store/commitlog")
		noErr(t, err)
		for _, e := range list {
			info, err := e.Info()
			noErr(t, err)
			equal(t, name+": size of "+e.Name(), info.Size(), segment)
		}
	}
	if len(images) < 50 {
		t.Errorf("only %d images", len(images))
	}
	for _, m := range mappedtest.Modes() {
		after := open(t, fs.Crash(1, m), "/store", 0, 0)
		same(t, "segments after the crash", offsets(after.log), []int64{0, segment, 2 * segment})
	}
}

// Populate touches what is in front of the writer and only that.
func TestPopulate(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS())
	b := begin(t, s, "/store", sized(1<<20))
	b.fill(1, 1000)
	if !b.alloc.Wanted() {
		t.Error("nothing is wanted at the start")
	}
	_, err := b.alloc.Prepare()
	noErr(t, err)
	b.alloc.Populate()
	var got []int64
	for _, c := range s.Trace() {
		if c.Op == mappedtest.OpPopulate {
			got = append(got, c.Off, c.Len)
		}
	}
	same(t, "ranges", got, []int64{1000, 1<<20 - 1000, 0, 1 << 20})
	calls := s.Calls()
	b.alloc.Populate()
	equal(t, "calls when all is ready", s.Calls(), calls)

	s = mappedtest.NewScript(mappedtest.NewFS())
	b = begin(t, s, "/store", staged)
	b.fill(1, 1000)
	b.alloc.Populate()
	equal(t, "populated pages of a staged log", s.Count(mappedtest.OpPopulate), 0)
	if !b.alloc.Wanted() {
		t.Error("the next segment is not wanted")
	}
	_, err = b.alloc.Prepare()
	noErr(t, err)
	if b.alloc.Wanted() {
		t.Error("something is wanted although the next segment is there")
	}
}

// Populating is a matter of speed: its failure changes nothing.
func TestPopulateFails(t *testing.T) {
	s := mappedtest.NewScript(mappedtest.NewFS(), mappedtest.Rule{Op: mappedtest.OpPopulate, Forever: true, Err: syscall.EFAULT})
	b := begin(t, s, "/store")
	b.fill(1, 1000)
	b.alloc.Populate()
	b.fill(1, 1000)
	noErr(t, b.disk.Flush())
	equal(t, "flushed", b.log.Flushed(), 2000)
}
