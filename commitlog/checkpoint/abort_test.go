package checkpoint_test

import (
	"reflect"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

func TestAbort(t *testing.T) {
	fsys, l := newStore(t)
	has := func(want bool) {
		t.Helper()
		if got, err := checkpoint.HasAbort(fsys, l); err != nil || got != want {
			t.Errorf("HasAbort: %v %v, want %v", got, err, want)
		}
	}
	has(false)
	if err := checkpoint.RemoveAbort(fsys, l); err != nil {
		t.Errorf("remove a missing marker: %v", err)
	}
	put(t, l.AbortFile(), "9999999999")
	if err := checkpoint.CreateAbort(fsys, l, 4711); err != nil {
		t.Fatal(err)
	}
	if got := get(t, l.AbortFile()); got != "4711" {
		t.Errorf("content %q", got)
	}
	has(true)
	if err := checkpoint.RemoveAbort(fsys, l); err != nil {
		t.Fatal(err)
	}
	has(false)
}

func TestAbortIsDurableBeforeReturn(t *testing.T) {
	fsys, l := newStore(t)
	f := mappedtest.NewScript(fsys)
	if err := checkpoint.CreateAbort(f, l, 1); err != nil {
		t.Fatal(err)
	}
	if err := checkpoint.RemoveAbort(f, l); err != nil {
		t.Fatal(err)
	}
	root := "syncdir " + base(l.Root)
	want := []string{"open abort", "write abort", "sync abort", root, "remove abort", root}
	if got := trace(f); !reflect.DeepEqual(got, want) {
		t.Errorf("trace %v, want %v", got, want)
	}
}

func TestAbortFaults(t *testing.T) {
	none := func(*testing.T, mapped.FS, checkpoint.Layout) {}
	sweep(t, newStore, func(f mapped.FS, l checkpoint.Layout) error {
		return checkpoint.CreateAbort(f, l, 1)
	}, none)
	sweep(t, newStore, checkpoint.RemoveAbort, none)
	sweep(t, newStore, func(f mapped.FS, l checkpoint.Layout) error {
		_, err := checkpoint.HasAbort(f, l)
		return err
	}, none)
}
