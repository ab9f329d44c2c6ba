package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/tests/golden"
)

// TestPutAwaitsTheIndex: a command that writes waits for an index that opening has
// left to the open store, so that what it leaves is whole.
func TestPutAwaitsTheIndex(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	if err := os.RemoveAll(filepath.Join(dir, "index")); err != nil {
		t.Fatal(err)
	}
	succeeds(t, with(geometry, "put", dir, "orders", "x")...)
	succeeds(t, with(geometry, "verify", dir)...)
}
