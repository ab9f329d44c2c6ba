package mapped_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

const segment = 16384

func TestCreateFile(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		tmp := filepath.Join(dir, "tmp")
		f, err := mapped.CreateFile(fsys, tmp, dir, "a", segment, nil)
		must(t, err)
		if n, _ := f.Size(); n != segment || f.Name() != filepath.Join(dir, "a") {
			t.Errorf("%s has %d bytes", f.Name(), n)
		}
		_, err = f.WriteAt([]byte("kept"), 0)
		must(t, err)
		must(t, f.Close())

		_, err = mapped.CreateFile(fsys, tmp, dir, "a", segment, nil)
		wantErr(t, err, fs.ErrExist)
		f, err = fsys.OpenFile(filepath.Join(dir, "a"), os.O_RDONLY, 0)
		must(t, err)
		b := make([]byte, 4)
		if _, err := f.ReadAt(b, 0); err != nil || string(b) != "kept" {
			t.Errorf("existing file now reads %q %v", b, err)
		}
		must(t, f.Close())

		must(t, create(t, fsys, filepath.Join(tmp, "b"), []byte("left over, and of another size")).Close())
		f, err = mapped.CreateFile(fsys, tmp, dir, "b", segment, func(f mapped.File) error { return f.Allocate(0, segment) })
		must(t, err)
		if _, err := f.ReadAt(b, 0); err != nil || string(b) != "\x00\x00\x00\x00" {
			t.Errorf("a leftover shows: %q %v", b, err)
		}
		must(t, f.Close())

		refused := errors.New("refused")
		_, err = mapped.CreateFile(fsys, tmp, dir, "c", segment, func(mapped.File) error { return refused })
		wantErr(t, err, refused)
		_, err = mapped.CreateFile(fsys, tmp, dir, "c", segment, func(f mapped.File) error { return f.Truncate(5) })
		wantErr(t, err, record.ErrCorrupt)
		list, err := fsys.ReadDir(tmp)
		if err != nil || len(list) != 0 {
			t.Errorf("left in tmp: %v %v", list, err)
		}
	})
}

// Each call of CreateFile fails once. No name is left (unless the removal was
// the call that failed), the next try succeeds, and no power cut at any moment
// shows the file under its name at another size.
func TestCreateFileSweep(t *testing.T) {
	for k := 1; ; k++ {
		mem := mappedtest.NewFS()
		must(t, mem.MkdirAll("/store"))
		script := mappedtest.NewScript(mem)
		script.Add(mappedtest.Rule{At: k, Err: syscall.EIO}, mappedtest.Rule{Forever: true, Then: func() {
			for _, mode := range mappedtest.Modes() {
				checkWhole(t, mem.Crash(uint64(k), mode), mode)
			}
		}})
		f, err := mapped.CreateFile(script, "/store/tmp", "/store", "a", segment, nil)
		if err == nil {
			calls := script.Calls()
			_ = f.Close()
			if calls >= k {
				t.Fatalf("k=%d: the failure was not reported\n%s", k, script.TraceString())
			}
			break
		}
		wantErr(t, err, syscall.EIO)
		failed := script.Trace()[k-1]
		for _, name := range []string{"/store/a", "/store/tmp/a"} {
			if _, err := mem.Stat(name); err == nil && failed.Op != mappedtest.OpRemove {
				t.Errorf("k=%d: %s is left behind\n%s", k, name, script.TraceString())
			}
		}
		script.Clear()
		f, err = mapped.CreateFile(script, "/store/tmp", "/store", "a", segment, nil)
		if err != nil {
			t.Fatalf("k=%d: second try: %v", k, err)
		}
		must(t, f.Close())
		checkWhole(t, mem.Crash(1, mappedtest.Nothing), mappedtest.Nothing)
		if _, err := mem.Crash(1, mappedtest.Nothing).Stat("/store/a"); err != nil {
			t.Errorf("k=%d: created but lost: %v", k, err)
		}
	}
}

func checkWhole(t *testing.T, image *mappedtest.FS, mode mappedtest.Mode) {
	t.Helper()
	if info, err := image.Stat("/store/a"); err == nil && info.Size() != segment {
		t.Errorf("%v: visible with %d bytes", mode, info.Size())
	}
}
