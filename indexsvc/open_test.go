package indexsvc_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/indexsvc"
)

func TestOpenRefusesOptions(t *testing.T) {
	for _, c := range []struct{ slots, entries int }{{-1, 5}, {5, 1}, {5, -3}, {math.MinInt, 5}} {
		if _, err := indexsvc.Open(options(newFS(), c.slots, c.entries)); err == nil {
			t.Errorf("%v accepted", c)
		}
	}
	s := open(t, newFS(), 0, 0)
	if len(s.Files()) != 0 || s.EndPhyOffset() != -1 || len(s.Damaged()) != 0 {
		t.Error("an empty index is not empty")
	}
}

func TestOpenCreatesNothing(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 7, 5)
	wantFound(t, s, "T", "k")
	if err := s.Flush(); err != nil {
		t.Fatal(err)
	}
	if n, err := s.DeleteExpired(100); n != 0 || err != nil {
		t.Errorf("deleted %d %v", n, err)
	}
	if got := names(t, fsys, "/"); len(got) != 0 {
		t.Errorf("made %v", got)
	}
}

// Strays are warned of once each and left alone; the rest works.
func TestStrays(t *testing.T) {
	fsys := newFS()
	put(t, open(t, fsys, 7, 5), key(10, "a"))
	strays := []string{"lost+found/x", "core.123", ".nfs0001", "20231114221320123.bak", "20231114221320123.tmp",
		"99999999999999999999", "20990101000000000"}
	for _, n := range strays {
		writeFile(t, fsys, dir+"/"+n, nil)
	}
	var warned []string
	o := options(fsys, 7, 5)
	o.Warn = func(p, reason string) {
		if reason == "" {
			t.Errorf("%s: no reason", p)
		}
		warned = append(warned, filepath.Base(p))
	}
	before := names(t, fsys, dir)
	s, err := indexsvc.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, key(20, "a"))
	wantFound(t, s, "T", "a", 20, 10)
	want := []string{".nfs0001", "20231114221320123.bak", "20231114221320123.tmp", "20990101000000000",
		"99999999999999999999", "core.123", "lost+found"}
	if slices.Sort(warned); !slices.Equal(warned, want) {
		t.Errorf("warned of %v, want %v", warned, want)
	}
	if after := names(t, fsys, dir); !slices.Equal(after, before) {
		t.Errorf("files %v, were %v", after, before)
	}
}

func TestStrayLink(t *testing.T) {
	root := t.TempDir()
	if err := os.Symlink("/nowhere", filepath.Join(root, "20231114221320123")); err != nil {
		t.Skip(err)
	}
	warned := 0
	_, err := indexsvc.Open(indexsvc.Options{FS: mapped.OS(), Dir: root, Warn: func(string, string) { warned++ }})
	if err != nil || warned != 1 {
		t.Errorf("%d warnings, %v", warned, err)
	}
}

// wholeFile is a sound file of two records in geometry 7, 5.
func wholeFile(t *testing.T) []byte {
	t.Helper()
	return unhex(t, threeKeysAndOne)
}

// Files that cannot be right are left out, named and left alone.
func TestDamagedFiles(t *testing.T) {
	p := place{7, 5}
	for name, change := range map[string]func([]byte) []byte{
		"shorter than a header":   func(b []byte) []byte { return b[:39] },
		"cut":                     func(b []byte) []byte { return b[:len(b)-1] },
		"longer":                  func(b []byte) []byte { return append(b, 1) },
		"count far too high":      func(b []byte) []byte { put32(b, 36, math.MaxInt32); return b },
		"count one too high":      func(b []byte) []byte { put32(b, 36, 6); return b },
		"count too low":           func(b []byte) []byte { put32(b, 36, 2); return b },
		"count lost":              func(b []byte) []byte { put32(b, 36, 0); return b },
		"negative slots":          func(b []byte) []byte { put32(b, 32, -1); return b },
		"more slots than keys":    func(b []byte) []byte { put32(b, 32, 6); return b },
		"negative begin":          func(b []byte) []byte { put64(b, 16, -1); return b },
		"end below begin":         func(b []byte) []byte { put64(b, 24, 1); return b },
		"other begin":             func(b []byte) []byte { put64(b, 16, 7); return b },
		"other end":               func(b []byte) []byte { put64(b, 24, 77777); return b },
		"last entry lost":         func(b []byte) []byte { clear(b[p.entry(4):][:20]); return b },
		"entries lost, no header": func(b []byte) []byte { clear(b[:40]); return b },
	} {
		t.Run(name, func(t *testing.T) {
			fsys := newFS()
			path := dir + "/20231114221320123"
			bad := change(bytes.Clone(wholeFile(t)))
			writeFile(t, fsys, path, bad)
			warned := 0
			o := options(fsys, 7, 5)
			o.Warn = func(string, string) { warned++ }
			s, err := indexsvc.Open(o)
			if err != nil {
				t.Fatal(err)
			}
			d := s.Damaged()
			if len(d) != 1 || d[0].Path != path || warned != 1 || len(s.Files()) != 0 || !errors.Is(s.Verify(nil), record.ErrCorrupt) {
				t.Fatalf("damaged %v, warned %d, files %v", d, warned, s.Files())
			}
			put(t, s, key(10, "a"))
			wantFound(t, s, "T", "a", 10)
			wantBytes(t, readFile(t, fsys, path), bad)
			if err := s.Reset(""); err != nil {
				t.Fatal(err)
			}
			if got := names(t, fsys, dir); len(got) != 0 || len(s.Damaged()) != 0 {
				t.Errorf("after Reset: %v %v", got, s.Damaged())
			}
		})
	}
}

func TestZeroedFileIsEmpty(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 7, 5)
	put(t, s, key(10, "a b c d"))
	writeFile(t, fsys, dir+"/20990101000000000", make([]byte, 168))
	s = open(t, fsys, 7, 5)
	put(t, s, key(20, "a"))
	wantFound(t, s, "T", "a", 20, 10)
	verify(t, s)
}

// The geometry is found again from the file, whatever the options say.
func TestGeometryIsInferred(t *testing.T) {
	for _, c := range []struct{ slots, entries, keys int }{
		{97, 400, 1}, {97, 400, 2}, {97, 400, 300}, {97, 400, 399}, {1, 2, 1}, {1, 50, 49}, {1000, 20, 12}, {3, 3000, 2500},
	} {
		for _, from := range []int64{0, 4096} {
			fsys := newFS()
			s := open(t, fsys, c.slots, c.entries)
			for i := range c.keys {
				put(t, s, key(from+int64(i), "k"+strings.Repeat("x", i%7)))
			}
			want := find(t, s, "T", "kx")
			same := place{c.slots + 5, c.entries - 1} // another geometry of that size
			for _, o := range []place{{0, 0}, {c.slots, c.entries}, {50, 77}, same} {
				if o.entries == 1 {
					continue
				}
				s := open(t, fsys, o.slots, o.entries)
				files := s.Files()
				if len(files) != 1 || int(files[0].Slots) != c.slots || int(files[0].Entries) != c.entries {
					t.Fatalf("%+v from %d, options %v: %+v, %v", c, from, o, files, s.Damaged())
				}
				wantFound(t, s, "T", "kx", want...)
				verify(t, s)
			}
		}
	}
}

// A file that shows nothing takes the option's geometry, if its size is that.
func TestGeometryOfEmptyFile(t *testing.T) {
	fsys := newFS()
	put(t, open(t, fsys, 7, 5), key(10, ""))
	if s := open(t, fsys, 7, 5); len(s.Files()) != 1 || s.Files()[0].Slots != 7 {
		t.Errorf("%+v", s.Files())
	}
	s := open(t, fsys, 8, 5)
	if len(s.Files()) != 0 || len(s.Damaged()) != 0 { // it holds nothing, so nothing is damaged
		t.Errorf("%+v, %v", s.Files(), s.Damaged())
	}
	put(t, s, key(20, "k")) // and is left alone
	wantFound(t, s, "T", "k", 20)
}

// Chains that fit nothing: the option decides, and the damage shows later.
func TestGeometryOfBrokenChains(t *testing.T) {
	fsys := newFS()
	b := bytes.Clone(wholeFile(t))
	put32(b, place{7, 5}.slot(1), 0)
	writeFile(t, fsys, dir+"/20231114221320123", b)
	s := open(t, fsys, 7, 5)
	if len(s.Files()) != 1 || s.Files()[0].Slots != 7 || !errors.Is(s.Verify(nil), record.ErrCorrupt) {
		t.Errorf("%+v", s.Files())
	}
	if s := open(t, fsys, 20, 5); len(s.Damaged()) != 1 {
		t.Errorf("%+v", s.Files())
	}
}

// The order is that of the records, not that of the names.
func TestOrderOfFiles(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 7, 4)
	// The second file holds only keys of record 20, as do parts of its neighbours.
	put(t, s, key(10, "k"), key(20, "a b c d e f k"), key(30, "k"), key(40, "k"), key(50, "k"))
	files := contents(t, fsys, s)
	if len(files) != 4 {
		t.Fatalf("%d files", len(files))
	}
	for i, order := range [][]string{{"1", "2", "3", "4"}, {"4", "3", "2", "1"}, {"2", "4", "1", "3"}} {
		fsys := newFS()
		for j, name := range order {
			writeFile(t, fsys, dir+"/"+name, files[j])
		}
		s := open(t, fsys, 7, 4)
		wantFound(t, s, "T", "k", 50, 40, 30, 20, 10)
		if got := s.Files(); got[3].Name != order[3] || got[0].Name != order[0] || s.EndPhyOffset() != 50 {
			t.Errorf("%d: %+v", i, got)
		}
		verify(t, s)
	}
}

// A file of RocketMQ's default size has the default geometry; opening it reads
// little and maps nothing.
func TestGeometryDefault(t *testing.T) {
	root := t.TempDir()
	name := filepath.Join(root, "20231114221320123")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(420_000_040); err != nil {
		t.Skip(err)
	}
	for _, slots := range []int{0, 97} {
		s, err := indexsvc.Open(indexsvc.Options{FS: mapped.OS(), Dir: root, MaxHashSlotNum: slots, ReadOnly: true})
		if err != nil {
			t.Fatal(err)
		}
		if files := s.Files(); len(files) != 1 || files[0].Geometry != indexsvc.DefaultGeometry() {
			t.Errorf("%+v", files)
		}
	}
}

// Every failing call while opening is an error, never a file less.
func TestOpenFaults(t *testing.T) {
	fsys := newFS()
	s := open(t, fsys, 7, 6)
	put(t, s, key(10, "a b"), key(20, "a b c"), key(30, "d"))
	for k := 1; k < 100; k++ {
		script := mappedtest.NewScript(fsys)
		script.FailAt(k, os.ErrPermission)
		for _, o := range []indexsvc.Options{options(script, 7, 6)} {
			_, err := indexsvc.Open(o)
			calls := script.Trace()
			if len(calls) < k {
				if k < 10 {
					t.Fatalf("only %d calls", len(calls))
				}
				return
			}
			if err == nil && calls[k-1].Op != mappedtest.OpClose {
				t.Errorf("failed unseen: %v", calls[k-1])
			}
		}
	}
}

func TestReadOnly(t *testing.T) {
	fsys := newFS()
	put(t, open(t, fsys, 7, 6), key(10, "a b"), key(20, "a b c"), key(30, "d"))
	script := mappedtest.NewScript(fsys)
	o := options(script, 7, 6)
	o.ReadOnly = true
	s, err := indexsvc.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	wantFound(t, s, "T", "a", 20, 10)
	verify(t, s)
	if err := s.Flush(); err != nil {
		t.Error(err)
	}
	for _, err := range []error{
		s.Put([]record.DispatchRequest{key(40, "a")}), s.Reset(""), s.DropFrom("", ""), s.TruncatePhysical(0, ""),
	} {
		if !errors.Is(err, indexsvc.ErrReadOnly) {
			t.Errorf("got %v", err)
		}
	}
	if _, err := s.DeleteExpired(100); !errors.Is(err, indexsvc.ErrReadOnly) {
		t.Errorf("got %v", err)
	}
	for _, op := range []mappedtest.Op{mappedtest.OpWrite, mappedtest.OpTruncate, mappedtest.OpRemove, mappedtest.OpRename, mappedtest.OpMkdirAll} {
		if script.Count(op) != 0 {
			t.Errorf("%v was called", op)
		}
	}
}

// The geometry of files is found without being told; where the newest file shows
// none, an older one does.
func TestFoundGeometry(t *testing.T) {
	fsys := newFS()
	if g, found, err := indexsvc.FoundGeometry(fsys, dir); found || err != nil {
		t.Errorf("in an empty directory: %v %v %v", g, found, err)
	}
	s := open(t, fsys, 7, 5)
	for i := range int64(9) {
		put(t, s, key(10+i*100, "a"))
	}
	want := indexsvc.Geometry{Slots: 7, Entries: 5}
	for range 2 {
		if g, found, err := indexsvc.FoundGeometry(fsys, dir); g != want || !found || err != nil {
			t.Errorf("%v %v %v, want %v", g, found, err, want)
		}
		writeFile(t, fsys, dir+"/20990101000000000", []byte("none"))
	}
}
