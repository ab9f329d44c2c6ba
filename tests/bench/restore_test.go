package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A copy is made equal again whatever an engine has done to it, and what is equal
// is not written.
func TestRestore(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	large := append(make([]byte, 3*piece), bytes.Repeat([]byte("log"), piece)...)
	files := map[string][]byte{"commitlog/0": large, "queue/t/0": []byte("units"), "abort": nil}
	for name, b := range files {
		put(t, filepath.Join(from, name), b)
	}
	if err := restore(from, to); err != nil {
		t.Fatal(err)
	}
	same(t, to, files)
	old := time.Unix(1_700_000_000, 0)
	if err := os.Chtimes(filepath.Join(to, "commitlog/0"), old, old); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(to, "queue/t/0"), []byte("other units, and more"))
	put(t, filepath.Join(to, "index/1"), []byte("index"))
	if err := os.Remove(filepath.Join(to, "abort")); err != nil {
		t.Fatal(err)
	}
	if err := restore(from, to); err != nil {
		t.Fatal(err)
	}
	same(t, to, files)
	if i, err := os.Stat(filepath.Join(to, "commitlog/0")); err != nil || !i.ModTime().Equal(old) {
		t.Errorf("an equal file was written: %v", err)
	}
	if _, err := os.Stat(filepath.Join(to, "index")); !os.IsNotExist(err) {
		t.Errorf("what was added is still there: %v", err)
	}
}

func put(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func same(t *testing.T, dir string, files map[string][]byte) {
	t.Helper()
	for name, want := range files {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %d bytes, want %d: %v", name, len(got), len(want), err)
		}
	}
}
