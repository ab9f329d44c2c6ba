package repair_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/repair"
)

// viewed is a hurt store and a view of it, with one step of each kind.
func viewed(t *testing.T) (fsys *mappedtest.Script, view mapped.FS, steps map[repair.Action]repair.Step) {
	t.Helper()
	fsys = mappedtest.NewScript(hurtAll(t, true))
	r := plan(t, fsys)
	steps = map[repair.Action]repair.Step{}
	for _, s := range r.Steps {
		steps[s.Action] = s
	}
	for _, a := range []repair.Action{repair.Move, repair.Rename, repair.Pad, repair.Shorten} {
		if steps[a].Path == "" {
			t.Fatalf("no step to %s in %v", a, r.Steps)
		}
	}
	return fsys, repair.View(fsys, r.Steps), steps
}

// TestViewChangesNothing: what would change something is refused by name.
func TestViewChangesNothing(t *testing.T) {
	fsys, view, steps := viewed(t)
	before := files(t, fsys)
	path := steps[repair.Pad].Path
	for op, do := range map[string]func() error{
		"open": func() error { _, err := view.OpenFile(path, os.O_RDWR, 0); return err },
		"make": func() error {
			_, err := view.OpenFile(root+"/new", os.O_RDONLY|os.O_CREATE, 0o644)
			return err
		},
		"mkdirall": func() error { return view.MkdirAll(root + "/new") },
		"mkdir":    func() error { return view.Mkdir(root + "/new") },
		"rename":   func() error { return view.Rename(path, path+".new") },
		"remove":   func() error { return view.Remove(path) },
		"syncdir":  func() error { return view.SyncDir(root) },
		"syncfs":   func() error { return view.SyncFS(root) },
	} {
		var pe *fs.PathError
		if err := do(); !errors.Is(err, syscall.EROFS) || !errors.As(err, &pe) || !strings.HasPrefix(pe.Path, root) {
			t.Errorf("%s: %v", op, err)
		}
	}
	if changed := same(before, files(t, fsys)); changed != "" {
		t.Errorf("%s was changed", changed)
	}
}

// TestViewIsWhatRepairLeaves: names, lengths and bytes of the segments, by listing
// and one by one, through reads and maps, are those that stand there afterwards.
func TestViewIsWhatRepairLeaves(t *testing.T) {
	fsys, view, steps := viewed(t)
	_, err := view.Stat(steps[repair.Move].Path)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is moved away: %v", err)
	}
	if _, err := view.OpenFile(steps[repair.Move].Path, os.O_RDONLY, 0); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is moved away opens: %v", err)
	}
	shown := map[string][]byte{}
	for _, path := range names(t, view, "commitlog") {
		info, err := view.Stat(path)
		must(t, err)
		b := load(t, view, path)
		if info.Name() != filepath.Base(path) || info.Size() != segmentSize || len(b) != segmentSize {
			t.Errorf("%s: %s of %d bytes, read %d", path, info.Name(), info.Size(), len(b))
		}
		shown[path] = b
		f, err := view.OpenFile(path, os.O_RDONLY, 0)
		must(t, err)
		m, err := f.Map(0, segmentSize, false)
		must(t, err)
		if !bytes.Equal(m.Bytes(), b) {
			t.Errorf("%s: the map shows other bytes than a read", path)
		}
		must(t, errors.Join(m.Unmap(), f.Close()))
	}
	_, err = actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
	must(t, err)
	for path, b := range shown {
		if !slices.Equal(load(t, fsys, path), b) {
			t.Errorf("%s: repair left other bytes", path)
		}
	}
}

// TestViewPadded: a short segment ends in zeros that are not there, a long one ends
// where it should; a read that fails fails here, too.
func TestViewPadded(t *testing.T) {
	fsys, view, steps := viewed(t)
	for _, action := range []repair.Action{repair.Pad, repair.Shorten} {
		path := steps[action].Path
		f, err := view.OpenFile(path, os.O_RDONLY, 0)
		must(t, err)
		b := bytes.Repeat([]byte{1}, 100)
		n, err := f.ReadAt(b, segmentSize-40)
		if n != 40 || err != io.EOF || action == repair.Pad && len(bytes.Trim(b[:40], "\x00")) > 0 {
			t.Errorf("%s: over the end: %d %v %v", action, n, err, b[:40])
		}
		if n, err := f.ReadAt(b, segmentSize); n != 0 || err != io.EOF {
			t.Errorf("%s: behind the end: %d %v", action, n, err)
		}
		for _, r := range [][2]int64{{0, segmentSize + 1}, {-1, 10}, {0, 0}, {segmentSize, 1}} {
			if _, err := f.Map(r[0], r[1], false); !errors.Is(err, syscall.EINVAL) {
				t.Errorf("%s: map [%d,+%d): %v", action, r[0], r[1], err)
			}
		}
		if _, err := f.Map(0, segmentSize, true); !errors.Is(err, syscall.EINVAL) {
			t.Errorf("%s: a map to write: %v", action, err)
		}
		m, err := f.Map(0, segmentSize, false)
		must(t, err)
		must(t, errors.Join(m.Populate(0, segmentSize, false), m.Random(), m.Flush(0, segmentSize)))
		unwritten, err := m.Unwritten(0, segmentSize)
		stays, derr := m.Drop(0, segmentSize)
		if unwritten != -1 || stays != -1 || errors.Join(err, derr) != nil || len(m.Bytes()) != segmentSize {
			t.Errorf("%s: unwritten at %d %v, stays at %d %v", action, unwritten, err, stays, derr)
		}
		must(t, m.Unmap())
		for _, op := range []mappedtest.Op{mappedtest.OpRead, mappedtest.OpSize} {
			fsys.Add(mappedtest.Rule{Op: op, Path: path, Forever: true, Err: syscall.EIO})
			_, rerr := f.ReadAt(b, 0)
			_, merr := f.Map(0, segmentSize, false)
			if op == mappedtest.OpRead && !errors.Is(rerr, syscall.EIO) ||
				(op == mappedtest.OpSize || action == repair.Pad) && !errors.Is(merr, syscall.EIO) {
				t.Errorf("%s, %s fails: read %v, map %v", action, op, rerr, merr)
			}
			fsys.Clear()
		}
		must(t, f.Close())
	}
	fsys.Add(mappedtest.Rule{Op: mappedtest.OpStat, Path: steps[repair.Rename].Path, Err: syscall.EIO})
	for range 8 { // of several renames one needs that file
		if _, err := view.ReadDir(root + "/commitlog"); errors.Is(err, syscall.EIO) {
			return
		}
	}
	t.Error("a listing shows a file that cannot be looked at")
}
