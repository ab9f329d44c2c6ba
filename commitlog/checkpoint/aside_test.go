package checkpoint_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
)

// cut is a tail with a long run of zeros inside and at its end.
func cut() []byte {
	b := bytes.Repeat([]byte("old bytes "), 9000)
	b = append(b, make([]byte, 300<<10)...)
	b = append(b, 'x')
	return append(b, make([]byte, 200<<10)...)
}

func TestAsideKeepsTheBytesOnce(t *testing.T) {
	fsys, l := newStore(t)
	first, err := checkpoint.Aside(fsys, l, "commitlog-1", bytes.NewReader(cut()))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal([]byte(get(t, first)), cut()) {
		t.Error("bytes differ")
	}
	if filepath.Dir(first) != l.Aside() || !strings.HasPrefix(base(first), "commitlog-1.") {
		t.Errorf("path %s", first)
	}
	again, err := checkpoint.Aside(fsys, l, "commitlog-1", iotest.HalfReader(bytes.NewReader(cut())))
	if err != nil || again != first {
		t.Errorf("same bytes again: %s %v", again, err)
	}
	other, err := checkpoint.Aside(fsys, l, "commitlog-1", strings.NewReader("other"))
	if err != nil || other == first || get(t, other) != "other" {
		t.Errorf("other bytes: %s %v", other, err)
	}
	entries, _ := os.ReadDir(l.Aside())
	if left, _ := os.ReadDir(l.Tmp()); len(entries) != 2 || len(left) != 0 {
		t.Errorf("%d kept, %d left over", len(entries), len(left))
	}
}

// TestAsideLongNames: the name of a queue file with its topic in it may be longer
// than a disk takes; it stays its own and readable at both ends.
func TestAsideLongNames(t *testing.T) {
	fsys, l := newStore(t)
	paths := map[string]bool{}
	for n := 200; n <= 300; n++ {
		for _, end := range []string{"0", "1"} {
			name := "consumequeue-" + strings.Repeat("t", n) + "-" + end + "-00000000000000000000"
			path, err := checkpoint.Aside(fsys, l, name, strings.NewReader("units"))
			if err != nil {
				t.Fatalf("%d bytes: %v", len(name), err)
			}
			if again, err := checkpoint.Aside(fsys, l, name, strings.NewReader("units")); err != nil || again != path {
				t.Errorf("%d bytes, again: %s, not %s, %v", len(name), again, path, err)
			}
			if paths[path] || get(t, path) != "units" || !strings.HasPrefix(base(path), name[:100]) ||
				!strings.Contains(base(path), name[len(name)-23:]+".") {
				t.Errorf("%d bytes: %s", len(name), path)
			}
			paths[path] = true
		}
	}
	if left, _ := os.ReadDir(l.Tmp()); len(left) != 0 {
		t.Errorf("%d left over", len(left))
	}
}

func TestAsideNothing(t *testing.T) {
	fsys, l := newStore(t)
	path, err := checkpoint.Aside(fsys, l, "none", strings.NewReader(""))
	if path != "" || err != nil {
		t.Errorf("got %q %v", path, err)
	}
	if got := tree(t, l.Ours()); got != ". aside tmp" {
		t.Errorf("tree %s", got)
	}
}

func TestAsideOnlyZeros(t *testing.T) {
	fsys, l := newStore(t)
	path, err := checkpoint.Aside(fsys, l, "zeros", bytes.NewReader(make([]byte, 100_000)))
	if err != nil || len(get(t, path)) != 100_000 {
		t.Errorf("got %s %v", path, err)
	}
}

func TestAsideRefusesPaths(t *testing.T) {
	fsys, l := newStore(t)
	for _, name := range []string{"", "..", "../x", "/x", "a/b"} {
		if _, err := checkpoint.Aside(fsys, l, name, strings.NewReader("x")); err == nil {
			t.Errorf("%q accepted", name)
		}
	}
	if tree(t, l.Root) != "." {
		t.Error("bad input changed something")
	}
}

func TestAsideReaderFails(t *testing.T) {
	fsys, l := newStore(t)
	r := io.MultiReader(strings.NewReader("some"), iotest.ErrReader(errInjected))
	if _, err := checkpoint.Aside(fsys, l, "bad", r); !errors.Is(err, errInjected) {
		t.Errorf("got %v", err)
	}
	if got := tree(t, l.Ours()); got != ". aside tmp" {
		t.Errorf("tree %s", got)
	}
}

func TestAsideTogether(t *testing.T) {
	fsys, l := newStore(t)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			want := strings.Repeat(string(rune('a'+i/2)), 1000)
			path, err := checkpoint.Aside(fsys, l, "same", strings.NewReader(want))
			if err != nil || get(t, path) != want {
				t.Errorf("%d: %s %v", i, path, err)
			}
		})
	}
	all.Wait()
	if entries, _ := os.ReadDir(l.Aside()); len(entries) != 4 {
		t.Errorf("%d files", len(entries))
	}
}

func TestAsideFaults(t *testing.T) {
	sweep(t, newStore, func(f mapped.FS, l checkpoint.Layout) error {
		_, err := checkpoint.Aside(f, l, "x", strings.NewReader("content"))
		return err
	}, func(t *testing.T, fsys mapped.FS, l checkpoint.Layout) {
		entries, _ := os.ReadDir(l.Aside())
		for _, e := range entries {
			if got := get(t, filepath.Join(l.Aside(), e.Name())); got != "content" {
				t.Errorf("kept a part: %q", got)
			}
		}
	})
}
