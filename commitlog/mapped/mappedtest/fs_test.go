package mappedtest_test

import (
	"errors"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

func TestCapacity(t *testing.T) {
	f := mappedtest.NewFS()
	f.SetCapacity(10 * page)
	used := func(want int64) {
		t.Helper()
		if u, err := f.DiskUsage("/"); err != nil || u.Used != want*page || u.Free != (10-want)*page || u.Total != 10*page {
			t.Fatalf("usage %+v %v, want %d pages", u, err, want)
		}
	}
	a := open(t, f, "/a", 100*page) // a hole takes nothing
	used(0)
	must(t, a.Allocate(0, 6*page))
	must(t, a.Allocate(page, 2*page))
	used(6)
	b := open(t, f, "/b", 0)
	if err := b.Allocate(0, 5*page); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("got %v", err)
	}
	if n, _ := b.Size(); n != 0 {
		t.Errorf("a failed Allocate left %d bytes", n)
	}
	write(t, b, 100, 'x', 4*page-100)
	used(10)
	if _, err := b.WriteAt([]byte{1}, 4*page); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got %v", err)
	}
	write(t, b, 0, 'y', page) // has room
	must(t, b.Truncate(page+1))
	used(8)
	must(t, f.Remove("/a"))
	used(8)
	k := f.Kill()
	if u, _ := k.DiskUsage("/"); u.Used != 2*page {
		t.Errorf("after Kill %d pages are used", u.Used/page)
	}
	r, err := a.Map(0, page, true)
	must(t, err)
	must(t, a.Close())
	used(8)
	must(t, r.Unmap())
	used(2)
	must(t, f.Rename("/b", "/c"))
	must(t, open(t, f, "/d", 0).Close())
	must(t, f.Rename("/d", "/c"))
	must(t, b.Close())
	used(0)
}

func TestMappedFileCannotMove(t *testing.T) {
	f := mappedtest.NewFS()
	a := open(t, f, "/a", 2*page)
	r, err := a.Map(0, 2*page, true)
	must(t, err)
	if err := a.Truncate(3 * page); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("got %v", err)
	}
	must(t, a.Truncate(page))
	must(t, a.Truncate(2*page))
	write(t, a, page, 'x', 1)
	if r.Bytes()[page] != 'x' {
		t.Error("the map lost its file")
	}
	must(t, r.Unmap())
	must(t, a.Truncate(3*page))
}

func TestModTime(t *testing.T) {
	f := mappedtest.NewFS()
	now := time.Unix(1000, 0)
	f.SetClock(func() time.Time { return now })
	a := open(t, f, "/a", 0)
	now = now.Add(time.Hour)
	write(t, a, 0, 'x', 1)
	if i, _ := f.Stat("/a"); !i.ModTime().Equal(now) {
		t.Errorf("written at %v", i.ModTime())
	}
	must(t, f.SetModTime("/a", time.Unix(5, 0)))
	if i, _ := f.Kill().Stat("/a"); !i.ModTime().Equal(time.Unix(5, 0)) {
		t.Errorf("set to %v", i.ModTime())
	}
}

// A writer stores through a mapping and publishes its end, a reader reads below
// it, a flusher flushes, and the power fails all the time: no race, and what was
// flushed is in every image.
func TestConcurrentUse(t *testing.T) {
	const size = 32 * page
	f := mappedtest.NewFS()
	a := open(t, f, "/a", size)
	must(t, a.Sync())
	must(t, f.SyncDir("/"))
	r, err := a.Map(0, size, true)
	must(t, err)
	var appended, flushed atomic.Int64
	var wg sync.WaitGroup
	loop := func(step func()) {
		wg.Go(func() {
			for appended.Load() < size {
				step()
			}
		})
	}
	wg.Go(func() {
		b := r.Bytes()
		for i := int64(0); i < size; i += 256 {
			for j := i; j < i+256; j++ {
				b[j] = byte(j%251) + 1
			}
			appended.Store(i + 256)
		}
	})
	loop(func() {
		from, to := flushed.Load(), appended.Load()
		if err := r.Flush(from, to-from); err != nil {
			t.Error(err)
		}
		flushed.Store(to)
	})
	loop(func() {
		b := r.Bytes()
		for i, to := int64(0), appended.Load(); i < to; i += 97 {
			if b[i] != byte(i%251)+1 {
				t.Errorf("byte %d is %d", i, b[i])
				return
			}
		}
	})
	seed := uint64(0)
	loop(func() {
		seed++
		sure := flushed.Load()
		image := read(t, f.Crash(seed, mappedtest.Random), "/a")
		for i := range sure {
			if image[i] != byte(i%251)+1 {
				t.Errorf("seed %d: flushed byte %d is %d", seed, i, image[i])
				return
			}
		}
	})
	wg.Wait()
}

func TestCopyInAndOut(t *testing.T) {
	f := mappedtest.NewFS()
	must(t, f.MkdirAll("/s/x/y"))
	a := open(t, f, "/s/x/a", 3*page+5)
	write(t, a, page, 'a', 10)
	must(t, a.Close())
	must(t, open(t, f, "/s/x/y/empty", 0).Close())
	dir := t.TempDir()
	must(t, f.CopyOut("/s", dir))
	g := mappedtest.NewFS()
	must(t, g.CopyIn("/t/u", os.DirFS(dir)))
	if sum(t, f, "/s") != sum(t, g, "/t/u") {
		t.Error("the copy differs")
	}
	if sum(t, f, "/s") != sum(t, g.Crash(1, mappedtest.Nothing), "/t/u") {
		t.Error("the copy is not durable")
	}
	if f.OpenFiles() != 0 || g.OpenFiles() != 0 {
		t.Errorf("left open: %d and %d", f.OpenFiles(), g.OpenFiles())
	}
}

func TestCounts(t *testing.T) {
	f := mappedtest.NewFS()
	a := open(t, f, "/a", page)
	r, err := a.Map(0, page, false)
	must(t, err)
	must(t, f.Remove("/a"))
	must(t, a.Close())
	if f.OpenFiles() != 0 || f.Mappings() != 1 {
		t.Errorf("%d files, %d maps", f.OpenFiles(), f.Mappings())
	}
	must(t, r.Unmap())
	if f.Mappings() != 0 {
		t.Errorf("%d maps", f.Mappings())
	}
}
