package mapped_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// Each call of ReplaceFile fails once. The name always shows the old bytes or the
// new ones, whole, also after a power cut at any moment; nothing waits in tmp but
// where its removal failed; the next try succeeds and lasts.
func TestReplaceFileSweep(t *testing.T) {
	const old, fresh = "old bytes", "what replaces them"
	replace := func(fsys mapped.FS) error {
		return mapped.ReplaceFile(fsys, "/store/tmp", "/store", "a", int64(len(fresh)), func(f mapped.File) error {
			_, err := f.WriteAt([]byte(fresh), 0)
			return err
		})
	}
	for k := 1; ; k++ {
		mem := mappedtest.NewFS()
		must(t, mem.MkdirAll("/store"))
		f := create(t, mem, "/store/a", []byte(old))
		must(t, f.Sync())
		must(t, f.Close())
		must(t, mem.SyncDir("/store"))
		script := mappedtest.NewScript(mem)
		shown := func(fsys mapped.FS, want ...string) {
			t.Helper()
			b, err := mappedtest.ReadFile(fsys, "/store/a")
			if err != nil || string(b) != want[0] && string(b) != want[len(want)-1] {
				t.Fatalf("k=%d: shows %q %v\n%s", k, b, err, script.TraceString())
			}
		}
		script.Add(mappedtest.Rule{At: k, Err: syscall.EIO}, mappedtest.Rule{Forever: true, Then: func() {
			for _, mode := range mappedtest.Modes() {
				shown(mem.Crash(uint64(k), mode), old, fresh)
			}
		}})
		err := replace(script)
		if err == nil {
			if calls := script.Calls(); calls >= k {
				t.Fatalf("k=%d: the failure was not reported\n%s", k, script.TraceString())
			}
			return
		}
		wantErr(t, err, syscall.EIO)
		failed := script.Trace()[k-1]
		shown(mem, old, fresh)
		if _, err := mem.Stat("/store/tmp/a"); err == nil && failed.Op != mappedtest.OpRemove {
			t.Errorf("k=%d: tmp is left behind\n%s", k, script.TraceString())
		}
		script.Clear()
		must(t, replace(script))
		shown(mem.Crash(1, mappedtest.Nothing), fresh)
	}
}

// A file that vanishes between the listing and the look at its length is an error,
// never a log without it.
func TestOpenMappedFileQueueFileVanishes(t *testing.T) {
	dir := t.TempDir()
	segments(t, mapped.OS(), dir, 0, 1)
	script := mappedtest.NewScript(mapped.OS(), mappedtest.Rule{Op: mappedtest.OpReadDir, Then: func() {
		must(t, mapped.OS().Remove(dir+"/"+mapped.Name(segment)))
	}})
	_, err := mapped.OpenMappedFileQueue(script, dir, segment, nil)
	wantErr(t, err, syscall.ENOENT)
}

// What does not fit is refused with the file's name, and stays the caller's.
func TestAddRefuses(t *testing.T) {
	for _, c := range []struct{ offset, size int64 }{
		{1, segment}, {-segment, segment}, {2 * segment, segment / 2}, {0, segment}, {3 * segment, segment},
	} {
		mem := mappedtest.NewFS()
		segments(t, mem, "/", 0, 1)
		q, err := mapped.OpenMappedFileQueue(mem, "/", segment, nil)
		must(t, err)
		if q.Dir() != "/" || q.FileSize() != segment {
			t.Errorf("a queue in %s of %d", q.Dir(), q.FileSize())
		}
		path := fmt.Sprintf("/new at %d", c.offset)
		file := create(t, mem, path, nil)
		must(t, file.Truncate(c.size))
		f, err := mapped.MapFile(file, c.offset, c.size, false)
		must(t, err)
		if err := q.Add(f); err == nil || !strings.Contains(err.Error(), path) {
			t.Errorf("offset %d of %d bytes: %v", c.offset, c.size, err)
		}
		if len(q.Files()) != 2 || q.Find(2*segment) != nil || f.Closed() {
			t.Errorf("offset %d of %d bytes: added after all", c.offset, c.size)
		}
		f.Retire()
		q.Close()
	}
}
