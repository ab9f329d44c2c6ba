package indexsvc_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
)

// halfPut is an index of two full files and one whose last put was cut off: the
// entry stands in its slot and is not counted.
func halfPut(t *testing.T) *mappedtest.FS {
	t.Helper()
	const slots, entries = 2, 6
	fsys := newFS()
	s := open(t, fsys, slots, entries)
	for i := range int64(12) {
		put(t, s, key(10*i, "abc"[i%3:i%3+1]))
	}
	files := s.Files()
	path := files[len(files)-1].Path
	before := readFile(t, fsys, path)
	put(t, s, key(200, "a"))
	after := readFile(t, fsys, path)
	p := place{slots, entries}
	copy(after[24:], before[24:40]) // slot and entry counts
	copy(after[8:], before[8:16])
	if slices.Equal(after[p.slot(0):], before[p.slot(0):]) {
		t.Fatal("nothing is left of the put")
	}
	writeFile(t, fsys, path, after)
	return fsys
}

// TestOneCallFails: what is done with an index fails with the disk's error and the
// file's name, or is done; opened again and done again it ends as if nothing failed.
func TestOneCallFails(t *testing.T) {
	for name, do := range map[string]func(s *indexsvc.Service) error{
		"open":     func(*indexsvc.Service) error { return nil },
		"put":      func(s *indexsvc.Service) error { return s.Put([]record.DispatchRequest{key(300, "a b c a")}) },
		"flush":    func(s *indexsvc.Service) error { return s.Flush() },
		"rewrite":  func(s *indexsvc.Service) error { return errors.Join(s.Rewrite(""), s.Flush()) },
		"verify":   func(s *indexsvc.Service) error { return s.Verify(nil) },
		"reset":    func(s *indexsvc.Service) error { return s.Reset(aside) },
		"remove":   func(s *indexsvc.Service) error { return s.Reset("") },
		"truncate": func(s *indexsvc.Service) error { return s.TruncatePhysical(60, aside) },
		"expire":   func(s *indexsvc.Service) error { _, err := s.DeleteExpired(60); return err },
	} {
		t.Run(name, func(t *testing.T) {
			base := halfPut(t)
			run := func(fsys mapped.FS) error {
				s, err := indexsvc.Open(options(fsys, 2, 6))
				if err != nil {
					return err
				}
				return errors.Join(do(s), s.Close())
			}
			state := func(fsys mapped.FS) string {
				s := open(t, fsys, 2, 6)
				verify(t, s)
				out := fmt.Sprint(s.EndPhyOffset(), s.Damaged(), s.Unused(), len(s.Files()))
				for _, k := range []string{"a", "b", "c"} {
					out += fmt.Sprint(find(t, s, "T", k))
				}
				return out
			}
			whole := base.Kill()
			if err := run(whole); err != nil {
				t.Fatal(err)
			}
			want := state(whole)
			for image, script := range mappedtest.EachPlace(base, 1, syscall.EIO) {
				err := run(script)
				call, _ := script.Failed()
				switch {
				case err == nil:
					if got := state(image.Kill()); got != want {
						t.Errorf("%v: done, but %s, want %s", call, got, want)
					}
				case !errors.Is(err, syscall.EIO) || !strings.Contains(err.Error(), "/store"):
					t.Errorf("%v: %v", call, err)
				}
				if err := run(image); err != nil {
					t.Errorf("%v: again: %v", call, err)
				} else if got := state(image); got != want {
					t.Errorf("%v: again: %s, want %s", call, got, want)
				}
			}
		})
	}
}

// TestFoundGeometryPassesWhatIsNone: the newest file that shows one tells; a
// directory that cannot be listed is an error, not an index without files.
func TestFoundGeometryPassesWhatIsNone(t *testing.T) {
	fsys := halfPut(t)
	writeFile(t, fsys, dir+"/99991231235959999", []byte("short"))
	if err := fsys.Mkdir(dir + "/99991231235959998"); err != nil {
		t.Fatal(err)
	}
	g, ok, err := indexsvc.FoundGeometry(fsys, dir)
	if err != nil || !ok || g.Slots != 2 || g.Entries != 6 {
		t.Errorf("%+v %v %v", g, ok, err)
	}
	script := mappedtest.NewScript(fsys, mappedtest.Rule{Op: mappedtest.OpReadDir, Err: syscall.EIO})
	if _, ok, err := indexsvc.FoundGeometry(script, dir); ok || !errors.Is(err, syscall.EIO) {
		t.Errorf("not listed: %v %v", ok, err)
	}
	for _, name := range names(t, fsys, dir)[:3] {
		writeFile(t, fsys, dir+"/"+name, nil)
	}
	if _, ok, err := indexsvc.FoundGeometry(fsys, dir); ok || err != nil {
		t.Errorf("of empty files: %v %v", ok, err)
	}
}
