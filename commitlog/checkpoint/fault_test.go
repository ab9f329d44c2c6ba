package checkpoint_test

import (
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
)

var errInjected = errors.New("injected")

// faultFS counts the calls that change something or make it durable, keeps
// their trace, and fails the k-th.
type faultFS struct {
	mapped.FS
	trace []string
	fail  int // 1 = the first call, 0 = none
}

func (f *faultFS) step(op, path string) error {
	f.trace = append(f.trace, op+" "+filepath.Base(path))
	if len(f.trace) == f.fail {
		return errInjected
	}
	return nil
}

func (f *faultFS) OpenFile(name string, flag int, perm fs.FileMode) (mapped.File, error) {
	if err := f.step("open", name); err != nil {
		return nil, err
	}
	file, err := f.FS.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultFile{file, f}, nil
}

func (f *faultFS) MkdirAll(name string) error {
	if err := f.step("mkdir", name); err != nil {
		return err
	}
	return f.FS.MkdirAll(name)
}

func (f *faultFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.step("readdir", name); err != nil {
		return nil, err
	}
	return f.FS.ReadDir(name)
}

func (f *faultFS) Stat(name string) (fs.FileInfo, error) {
	if err := f.step("stat", name); err != nil {
		return nil, err
	}
	return f.FS.Stat(name)
}

func (f *faultFS) Rename(from, to string) error {
	if err := f.step("rename", to); err != nil {
		return err
	}
	return f.FS.Rename(from, to)
}

func (f *faultFS) Remove(name string) error {
	if err := f.step("remove", name); err != nil {
		return err
	}
	return f.FS.Remove(name)
}

func (f *faultFS) SyncDir(name string) error {
	if err := f.step("syncdir", name); err != nil {
		return err
	}
	return f.FS.SyncDir(name)
}

type faultFile struct {
	mapped.File
	fs *faultFS
}

func (f *faultFile) ReadAt(b []byte, off int64) (int, error) {
	if err := f.fs.step("read", f.Name()); err != nil {
		return 0, err
	}
	return f.File.ReadAt(b, off)
}

func (f *faultFile) WriteAt(b []byte, off int64) (int, error) {
	if err := f.fs.step("write", f.Name()); err != nil {
		return 0, err
	}
	return f.File.WriteAt(b, off)
}

func (f *faultFile) Size() (int64, error) {
	if err := f.fs.step("size", f.Name()); err != nil {
		return 0, err
	}
	return f.File.Size()
}

func (f *faultFile) Truncate(n int64) error {
	if err := f.fs.step("truncate", f.Name()); err != nil {
		return err
	}
	return f.File.Truncate(n)
}

func (f *faultFile) Sync() error {
	if err := f.fs.step("sync", f.Name()); err != nil {
		return err
	}
	return f.File.Sync()
}

func (f *faultFile) Datasync() error {
	if err := f.fs.step("datasync", f.Name()); err != nil {
		return err
	}
	return f.File.Datasync()
}

func (f *faultFile) Lock() error {
	if err := f.fs.step("lock", f.Name()); err != nil {
		return err
	}
	return f.File.Lock()
}

func (f *faultFile) Locked() (bool, error) {
	if err := f.fs.step("locked", f.Name()); err != nil {
		return false, err
	}
	return f.File.Locked()
}

// sweep runs do with the first call failing, then the second, and so on until a
// run needs no more calls. Each run starts from prepare's fresh store; check
// sees the store after a failed run, without faults.
func sweep(t *testing.T, prepare func(t *testing.T) (mapped.FS, checkpoint.Layout),
	do func(mapped.FS, checkpoint.Layout) error, check func(*testing.T, mapped.FS, checkpoint.Layout)) {
	t.Helper()
	for k := 1; k < 200; k++ {
		base, layout := prepare(t)
		f := &faultFS{FS: base, fail: k}
		err := do(f, layout)
		if len(f.trace) < k {
			if err != nil {
				t.Fatalf("run without a fault: %v", err)
			}
			if k == 1 {
				t.Fatal("nothing to fail")
			}
			return
		}
		// Removing a temporary file after a failure may itself fail unseen.
		if !errors.Is(err, errInjected) {
			t.Fatalf("call %d (%s) failed, got error %v", k, f.trace[k-1], err)
		}
		check(t, base, layout)
	}
	t.Fatal("no end")
}
