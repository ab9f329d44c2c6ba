package mapped_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// tree is what a directory holds: names and sizes.
func tree(t *testing.T, fsys mapped.FS, dir string) string {
	t.Helper()
	list, err := fsys.ReadDir(dir)
	must(t, err)
	var b strings.Builder
	for _, e := range list {
		info, err := e.Info()
		must(t, err)
		fmt.Fprintf(&b, "%s %v %d\n", e.Name(), e.Type(), info.Size())
	}
	return b.String()
}

// segments makes files of the segment size, each starting with its number.
func segments(t *testing.T, fsys mapped.FS, dir string, numbers ...int64) {
	t.Helper()
	for _, n := range numbers {
		f := create(t, fsys, filepath.Join(dir, mapped.Name(n*segment)), []byte{byte(n)})
		must(t, f.Truncate(segment))
		must(t, f.Close())
	}
}

func TestOpenMappedFileQueueClassifies(t *testing.T) {
	sized := func(name string, size int64) func(*testing.T, mapped.FS, string) {
		return func(t *testing.T, fsys mapped.FS, dir string) {
			f := create(t, fsys, filepath.Join(dir, name), nil)
			must(t, f.Truncate(size))
			must(t, f.Close())
		}
	}
	for _, c := range []struct {
		name   string
		add    func(*testing.T, mapped.FS, string)
		warned string // the stray, warned of once
		bad    string // the file that is refused
		empty  string
	}{
		{name: "directory", warned: "lost+found", add: func(t *testing.T, fsys mapped.FS, dir string) {
			must(t, fsys.MkdirAll(filepath.Join(dir, "lost+found")))
		}},
		{name: "numeric directory", warned: mapped.Name(9 * segment), add: func(t *testing.T, fsys mapped.FS, dir string) {
			must(t, fsys.MkdirAll(filepath.Join(dir, mapped.Name(9*segment))))
		}},
		{name: "core", warned: "core.123", add: sized("core.123", 10)},
		{name: "nfs", warned: ".nfs0001", add: sized(".nfs0001", 0)},
		{name: "bak", warned: mapped.Name(0) + ".bak", add: sized(mapped.Name(0)+".bak", segment)},
		{name: "tmp", warned: mapped.Name(9*segment) + ".tmp", add: sized(mapped.Name(9*segment)+".tmp", segment)},
		{name: "sign", warned: "-16384", add: sized("-16384", segment)},
		{name: "unaligned", bad: mapped.Name(2*segment + 1), add: sized(mapped.Name(2*segment+1), segment)},
		{name: "unaligned empty", bad: mapped.Name(2*segment + 1), add: sized(mapped.Name(2*segment+1), 0)},
		{name: "unaligned short", bad: "123", add: sized("123", segment)},
		{name: "no long", bad: "99999999999999999999", add: sized("99999999999999999999", segment)},
		{name: "twice", bad: "0", add: sized("0", segment)},
		{name: "empty last", empty: mapped.Name(2 * segment), add: sized(mapped.Name(2*segment), 0)},
		{name: "short last", bad: mapped.Name(2 * segment), add: sized(mapped.Name(2*segment), segment-1)},
		{name: "long last", bad: mapped.Name(2 * segment), add: sized(mapped.Name(2*segment), segment+1)},
		{name: "two empty", bad: mapped.Name(2 * segment), add: func(t *testing.T, fsys mapped.FS, dir string) {
			sized(mapped.Name(2*segment), 0)(t, fsys, dir)
			sized(mapped.Name(3*segment), 0)(t, fsys, dir)
		}},
		{name: "empty middle", bad: mapped.Name(2 * segment), add: func(t *testing.T, fsys mapped.FS, dir string) {
			sized(mapped.Name(2*segment), 0)(t, fsys, dir)
			segments(t, fsys, dir, 3)
		}},
		{name: "short middle", bad: mapped.Name(2 * segment), add: func(t *testing.T, fsys mapped.FS, dir string) {
			sized(mapped.Name(2*segment), 4096)(t, fsys, dir)
			segments(t, fsys, dir, 3)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
				segments(t, fsys, dir, 0, 1)
				c.add(t, fsys, dir)
				before := tree(t, fsys, dir)
				var warned []string
				q, err := mapped.OpenMappedFileQueue(fsys, dir, segment, func(path, reason string) {
					warned = append(warned, path)
				})
				if after := tree(t, fsys, dir); after != before {
					t.Errorf("opening changed the directory:\n%sto\n%s", before, after)
				}
				if c.bad != "" {
					var e *record.CorruptionError
					if !errors.As(err, &e) || e.Path != filepath.Join(dir, c.bad) {
						t.Fatalf("got %v, want a CorruptionError for %s", err, c.bad)
					}
					return
				}
				must(t, err)
				defer q.Close()
				if c.warned != "" != (len(warned) == 1) || c.warned != "" && warned[0] != filepath.Join(dir, c.warned) {
					t.Errorf("warned of %v, want %q", warned, c.warned)
				}
				if c.empty != "" && q.Empty() != filepath.Join(dir, c.empty) || c.empty == "" && q.Empty() != "" {
					t.Errorf("Empty %q, want %q", q.Empty(), c.empty)
				}
				if len(q.Files()) != 2 || len(q.Gaps()) != 0 || q.Min() != 0 || q.Last().Offset() != segment {
					t.Errorf("files %v gaps %v", q.Files(), q.Gaps())
				}
			})
		})
	}
}

// TestOpenMappedFileQueueSymlink: a segment that was moved to another disk, with a link
// under its name. It was left alone with a warning: a log whose first segment is a link
// began behind it, verify found no damage, and the queues gave up their units for it.
func TestOpenMappedFileQueueSymlink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a privilege")
	}
	dir, target := t.TempDir(), filepath.Join(t.TempDir(), "x")
	segments(t, mapped.OS(), dir, 0)
	must(t, os.WriteFile(target, make([]byte, segment), 0o644))
	must(t, os.Symlink(target, filepath.Join(dir, mapped.Name(segment))))
	_, err := mapped.OpenMappedFileQueue(mapped.OS(), dir, segment, nil)
	var e *record.CorruptionError
	if !errors.As(err, &e) || e.Path != filepath.Join(dir, mapped.Name(segment)) {
		t.Errorf("got %v, want a CorruptionError for the link", err)
	}
	must(t, os.Rename(filepath.Join(dir, mapped.Name(segment)), filepath.Join(dir, "link")))
	warned := 0
	q, err := mapped.OpenMappedFileQueue(mapped.OS(), dir, segment, func(string, string) { warned++ })
	must(t, err)
	defer q.Close()
	if warned != 1 || len(q.Files()) != 1 {
		t.Errorf("%d warnings, %d files", warned, len(q.Files()))
	}
}

func TestOpenMappedFileQueueMissing(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		q, err := mapped.OpenMappedFileQueue(fsys, filepath.Join(dir, "no"), segment, nil)
		must(t, err)
		if q.First() != nil || q.Last() != nil || q.Min() != -1 || q.Find(0) != nil {
			t.Error("a missing directory has files")
		}
		if _, err := fsys.Stat(filepath.Join(dir, "no")); err == nil {
			t.Error("opening made the directory")
		}
		if _, err := mapped.OpenMappedFileQueue(fsys, dir, 0, nil); err == nil {
			t.Error("file size 0 accepted")
		}
	})
}

func TestFindWithGap(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		numbers := []int64{2, 3, 6, 7, 11}
		segments(t, fsys, dir, numbers...)
		q, err := mapped.OpenMappedFileQueue(fsys, dir, segment, nil)
		must(t, err)
		defer q.Close()
		if got, want := q.Gaps(), []mapped.Gap{{4 * segment, 6 * segment}, {8 * segment, 11 * segment}}; !slices.Equal(got, want) {
			t.Errorf("gaps %v, want %v", got, want)
		}
		for n := int64(-2); n < 14; n++ {
			for _, in := range []int64{0, 1, segment - 1} {
				offset := n*segment + in
				f := q.Find(offset)
				if !slices.Contains(numbers, n) {
					if f != nil {
						t.Errorf("Find(%d) = %s, want none", offset, f.Path())
					}
					continue
				}
				if f == nil || f.Offset() != n*segment || f.Bytes()[0] != byte(n) {
					t.Errorf("Find(%d) = %v, want %s", offset, f, mapped.Name(n*segment))
				}
			}
		}
	})
}

func TestAddRemoveDelete(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		q, err := mapped.OpenMappedFileQueue(fsys, dir, segment, nil)
		must(t, err)
		defer q.Close()
		add := func(n, size int64) error {
			f, err := mapped.CreateFile(fsys, filepath.Join(dir, "tmp"), dir, mapped.Name(n*segment), size, nil)
			must(t, err)
			m, err := mapped.MapFile(f, n*segment, size, false)
			must(t, err)
			if err := q.Add(m); err != nil {
				m.Retire()
				must(t, fsys.Remove(m.Path()))
				return err
			}
			return nil
		}
		for n := int64(3); n < 9; n++ {
			must(t, add(n, segment))
		}
		for n, size := range map[int64]int64{8 + 2: segment, 2: segment, 9: segment * 2} {
			if add(n, size) == nil {
				t.Errorf("Add(%d, %d) accepted", n, size)
			}
		}
		held := q.First()
		if !held.Acquire() {
			t.Fatal("Acquire")
		}
		gone := q.RemoveFirst(func(f *mapped.MappedFile) bool { return f.End() > 5*segment })
		if len(gone) != 2 || gone[0].Offset() != 3*segment || q.Min() != 5*segment || q.Find(3*segment) != nil {
			t.Fatalf("RemoveFirst took %d, min %d", len(gone), q.Min())
		}
		if left, err := q.Delete(gone...); err != nil || left != nil {
			t.Fatalf("Delete: %v %v", left, err)
		}
		if held.Closed() || held.Acquire() || held.Holders() != 1 || !gone[1].Closed() {
			t.Error("a held file was closed, or let a new holder in, or a free one stayed")
		}
		held.Bytes()[0] = 7
		held.Release()
		if !held.Closed() {
			t.Error("not closed by its last holder")
		}
		gone = q.RemoveFrom(7 * segment)
		if len(gone) != 2 || gone[0].Offset() != 8*segment || q.Last().Offset() != 6*segment {
			t.Fatalf("RemoveFrom took %d, last %d", len(gone), q.Last().Offset())
		}
		_, err = q.Delete(gone...)
		must(t, err)
		must(t, fsys.Remove(filepath.Join(dir, "tmp")))
		want := mapped.Name(5*segment) + " ---------- 16384\n" + mapped.Name(6*segment) + " ---------- 16384\n"
		if got := tree(t, fsys, dir); got != want {
			t.Errorf("left on disk:\n%s", got)
		}
		must(t, add(7, segment))
		if q.RemoveFirst(func(*mapped.MappedFile) bool { return true }) != nil || q.RemoveFrom(100*segment) != nil {
			t.Error("took files that were to stay")
		}
	})
}

func TestReadOnlyQueue(t *testing.T) {
	everywhere(t, func(t *testing.T, fsys mapped.FS, dir string) {
		segments(t, fsys, dir, 0, 1)
		q, err := mapped.OpenMappedFileQueue(fsys, dir, segment, nil, mapped.ReadOnly())
		must(t, err)
		defer q.Close()
		if _, err := q.First().File().WriteAt([]byte("x"), 0); err == nil {
			t.Error("a read-only file was written")
		}
		_, err = q.Delete(q.RemoveFrom(segment * 2)...)
		wantErr(t, err, syscall.EROFS)
		if q.Find(segment).Bytes()[0] != 1 {
			t.Error("wrong bytes")
		}
	})
}
