package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
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

// TestIndexTakesNoFile: the index is to be made again where no file can be made. A command
// that writes waited for it for ever, without a word.
func TestIndexTakesNoFile(t *testing.T) {
	fsys := mappedtest.NewFS()
	o := actorstore.DefaultOptions("/store")
	o.MappedFileSizeCommitLog, o.MaxHashSlotNum, o.MaxIndexNum = 64<<10, 97, 400
	o.FS = fsys
	if err := fsys.MkdirAll("/store"); err != nil {
		t.Fatal(err)
	}
	opened := func(a *app) error {
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // and not for ever
		defer cancel()
		s, _, err := a.openStore(ctx, o)
		if err != nil {
			return err
		}
		m := actorstore.Message{Topic: "orders"}
		m.SetKeys("k")
		_, err = s.Put(ctx, &m)
		return errors.Join(err, s.Dispatched(ctx), a.close(s))
	}
	a := &app{err: t.Output()}
	if err := opened(a); err != nil {
		t.Fatal(err)
	}
	files, err := fsys.ReadDir("/store/index")
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	if err := fsys.Remove("/store/index/" + files[0].Name()); err != nil {
		t.Fatal(err)
	}
	script := mappedtest.NewScript(fsys, mappedtest.Rule{Op: mappedtest.OpOpen, Path: "/store/index/*", Err: syscall.EACCES, Forever: true})
	o.FS = script
	if err := opened(a); !errors.Is(err, syscall.EACCES) || errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "/store/index/") {
		t.Errorf("got %v", err)
	}
	script.Clear()
	if err := opened(a); err != nil {
		t.Errorf("once a file can be made: %v", err)
	}
}
