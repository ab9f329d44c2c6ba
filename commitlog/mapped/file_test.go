package mapped_test

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

func TestOpenMappedFile(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		segments(t, fsys, dir, 3)
		path := filepath.Join(dir, mapped.Name(3*segment))
		_, err := mapped.OpenMappedFile(fsys, path, 3*segment, segment*2, false)
		wantErr(t, err, record.ErrCorrupt)
		m, err := mapped.OpenMappedFile(fsys, path, 3*segment, segment, false)
		must(t, err)
		if m.Offset() != 3*segment || m.End() != 4*segment || m.Size() != segment || m.Path() != path ||
			len(m.Bytes()) != segment || m.Holders() != 0 || m.Closed() {
			t.Errorf("%+v", m)
		}
		must(t, m.Flush(0, segment))
		must(t, m.Flush(segment, segment))
		for _, r := range [][2]int64{{-1, 1}, {2, 1}, {0, segment + 1}} {
			wantErr(t, m.Flush(r[0], r[1]), syscall.EINVAL)
		}
		wantErr(t, m.Discard(), syscall.EBUSY)
		m.Retire()
		m.Retire()
		if !m.Closed() || m.Acquire() {
			t.Error("retired without holders, but open")
		}
		wantErr(t, m.Flush(0, 1), fs.ErrClosed)
		must(t, m.Discard())
	})
}

func TestReleaseTooOften(t *testing.T) {
	mem := mappedtest.NewFS()
	segments(t, mem, "/", 0)
	m, err := mapped.OpenMappedFile(mem, "/"+mapped.Name(0), 0, segment, false)
	must(t, err)
	if caught(m.Release) == nil {
		t.Error("one Release too many was accepted")
	}
}

// A file that is held for ever still gives its space back, and its holder gets
// an error instead of a crash.
func TestDiscardWhileHeld(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut")
	}
	dir := t.TempDir()
	segments(t, mapped.OS(), dir, 0, 1)
	q, err := mapped.OpenMappedFileQueue(mapped.OS(), dir, segment, nil)
	must(t, err)
	defer q.Close()
	held := q.First()
	if !held.Acquire() {
		t.Fatal("Acquire")
	}
	_, err = q.Delete(q.RemoveFirst(func(f *mapped.MappedFile) bool { return f.Offset() > 0 })...)
	must(t, err)
	must(t, held.Discard())
	var fault *mapped.FaultError
	if err := mapped.Guard(func() { held.Bytes()[0]++ }); !errors.As(err, &fault) {
		t.Errorf("got %v", err)
	}
	held.Release()
	if !held.Closed() {
		t.Error("not closed")
	}
}

// Readers at random offsets while the head is deleted and the tail grows get the
// right bytes or none. This runs on real mappings: a touch after the unmapping
// would kill the test.
func TestFindWhileHeadsGo(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		const files = 60
		segments(t, fsys, dir, 0, 1, 2)
		q, err := mapped.OpenMappedFileQueue(fsys, dir, segment, nil)
		must(t, err)
		var done atomic.Bool
		var wg sync.WaitGroup
		for seed := range uint64(3) {
			wg.Go(func() {
				rng := rand.New(rand.NewPCG(seed, 1))
				for !done.Load() {
					low := max(q.Min(), 0) - 3*segment
					offset := low + rng.Int64N(8*segment)
					f := q.Find(offset)
					if f == nil || !f.Acquire() {
						continue
					}
					if f.Offset() > offset || f.End() <= offset || f.Bytes()[0] != byte(f.Offset()/segment) {
						t.Errorf("Find(%d) gave %s", offset, f.Path())
					}
					f.Release()
				}
			})
		}
		for n := int64(3); n < files; n++ {
			segments(t, fsys, dir, n)
			f, err := mapped.OpenMappedFile(fsys, filepath.Join(dir, mapped.Name(n*segment)), n*segment, segment, false)
			must(t, err)
			must(t, q.Add(f))
			_, err = q.Delete(q.RemoveFirst(func(f *mapped.MappedFile) bool { return f.Offset() >= (n-2)*segment })...)
			must(t, err)
		}
		done.Store(true)
		wg.Wait()
		last := q.Files()
		q.Close()
		for _, f := range last {
			if !f.Closed() {
				t.Errorf("%s is still open with %d holders", f.Path(), f.Holders())
			}
		}
	})
}

// A deletion that fails hands back what is left, and no power cut between makes
// a gap.
func TestDeleteFails(t *testing.T) {
	for k := 1; k <= 6; k++ {
		mem := mappedtest.NewFS()
		segments(t, mem, "/", 0, 1, 2, 3)
		must(t, mem.SyncFS("/"))
		script := mappedtest.NewScript(mem)
		q, err := mapped.OpenMappedFileQueue(script, "/", segment, nil)
		must(t, err)
		gone := q.RemoveFirst(func(f *mapped.MappedFile) bool { return f.Offset() >= 3*segment })
		for _, f := range gone {
			f.Retire() // so that the calls that follow are those of the deletion
		}
		script.FailAt(k, syscall.EIO)
		left, err := q.Delete(gone...)
		wantErr(t, err, syscall.EIO)
		if len(left) != 3-(k-1)/2 {
			t.Errorf("k=%d: %d left", k, len(left))
		}
		for seed := range uint64(20) {
			image, err := mapped.OpenMappedFileQueue(mem.Crash(seed, mappedtest.Random), "/", segment, nil)
			must(t, err)
			if len(image.Gaps()) > 0 {
				t.Errorf("k=%d seed %d: gaps %v", k, seed, image.Gaps())
			}
		}
		if left, err = q.Delete(left...); err != nil || left != nil {
			t.Errorf("k=%d: second try: %v %v", k, left, err)
		}
		list, _ := mem.Crash(1, mappedtest.Nothing).ReadDir("/")
		if len(list) != 1 {
			t.Errorf("k=%d: %d files left", k, len(list))
		}
	}
}

func BenchmarkFindAcquireRelease(b *testing.B) {
	mem := mappedtest.NewFS()
	for n := range int64(8) {
		f, _ := mem.OpenFile("/"+mapped.Name(n*segment), 0x42, 0o644)
		_ = f.Truncate(segment)
	}
	q, err := mapped.OpenMappedFileQueue(mem, "/", segment, nil)
	if err != nil {
		b.Fatal(err)
	}
	sink := 0
	for b.Loop() {
		f := q.Find(5*segment + 17)
		if f.Acquire() {
			sink += int(f.Bytes()[17])
			f.Release()
		}
	}
}
