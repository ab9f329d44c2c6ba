package mappedtest_test

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

func TestMkdirIsDurableAfterSyncDir(t *testing.T) {
	f := mappedtest.NewFS()
	must(t, f.MkdirAll("/x"))
	must(t, f.Mkdir("/x/y"))
	if _, err := f.Crash(1, mappedtest.Nothing).Stat("/x/y"); err == nil {
		t.Error("an unsynced directory survived")
	}
	must(t, f.SyncDir("/x"))
	if _, err := f.Crash(1, mappedtest.Nothing).Stat("/x/y"); err != nil {
		t.Error("a synced directory was lost:", err)
	}
	if err := f.Mkdir("/x/y"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("made twice: %v", err)
	}
	if err := f.Mkdir("/no/y"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("made without its parent: %v", err)
	}
}
