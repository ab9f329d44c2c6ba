package repair_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
	"github.com/actorstore/actorstore/repair"
)

// TestChoices: what gives something up is not done unless it was agreed to, and
// then the store serves all that is left, takes puts, and is whole.
func TestChoices(t *testing.T) {
	for _, c := range []struct {
		name   string
		hit    func(t *testing.T, fsys *mappedtest.FS)
		action repair.Action
		where  recoverer.Where
	}{
		{"the end of the log is missing", func(t *testing.T, fsys *mappedtest.FS) {
			segments := names(t, fsys, "commitlog")
			for _, path := range segments[len(segments)-3:] {
				must(t, fsys.Remove(path))
			}
		}, repair.Accept, recoverer.CommitLog},
		{"a segment of another place", func(t *testing.T, fsys *mappedtest.FS) {
			segments := names(t, fsys, "commitlog")
			save(t, fsys, segments[2], load(t, fsys, segments[1]))
		}, repair.Move, recoverer.CommitLog},
		{"deleted topics", func(t *testing.T, fsys *mappedtest.FS) {
			s, err := actorstore.Open(t.Context(), options(fsys))
			must(t, err)
			put(t, s, "gone", 0)
			must(t, s.Dispatched(t.Context()))
			must(t, s.DeleteTopic(t.Context(), "gone"))
			must(t, s.Close(context.Background()))
			path := root + "/actorstore/deleted"
			save(t, fsys, path, []byte(strings.Repeat("x", len(load(t, fsys, path)))))
		}, repair.Move, recoverer.DeletedFile},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := closed(t)
			c.hit(t, fsys)
			r := plan(t, fsys)
			told := false
			for _, s := range r.Steps {
				told = told || s.Choice && s.Action == c.action && s.Where == c.where
			}
			if !told || r.Choices() != 1 {
				t.Fatalf("want one choice, to %s in %s, got %v", c.action, c.where, r.Steps)
			}
			before := files(t, fsys)
			_, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
			if !errors.Is(err, actorstore.ErrChoice) {
				t.Fatalf("repair without agreement: %v", err)
			}
			before[root+"/lock"] = "lock" // it was taken to look
			if path := same(before, files(t, fsys)); path != "" {
				t.Errorf("%s was changed", path)
			}
			r, err = actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{SkipDamaged: true})
			must(t, err)
			if !r.Done || len(r.Kept) == 0 {
				t.Errorf("%+v", r)
			}
			if again := plan(t, fsys); len(again.Steps) > 0 {
				t.Errorf("a second repair finds %v", again.Steps)
			}
			s, err := actorstore.Open(t.Context(), options(fsys))
			must(t, err)
			good, _ := read(t, s)
			if len(good) < messages {
				t.Errorf("%d messages are left", len(good))
			}
			put(t, s, "plain", 4711)
			must(t, s.Dispatched(t.Context()))
			must(t, s.Close(context.Background()))
		})
	}
}

// TestInUse: nobody repairs a store that another one uses, nor plans to.
func TestInUse(t *testing.T) {
	fsys := closed(t)
	s, err := actorstore.Open(t.Context(), options(fsys))
	must(t, err)
	defer func() { must(t, s.Close(context.Background())) }()
	var locked *actorstore.LockedError
	if _, err := actorstore.PlanRepair(t.Context(), options(fsys)); !errors.As(err, &locked) {
		t.Errorf("plan: %v", err)
	}
	if _, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{}); !errors.As(err, &locked) {
		t.Errorf("repair: %v", err)
	}
}

// TestNothingToDo: a store that is whole is not touched.
func TestNothingToDo(t *testing.T) {
	fsys := closed(t)
	before := files(t, fsys)
	r, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
	must(t, err)
	if len(r.Steps)+len(r.Left)+len(r.Kept) > 0 {
		t.Errorf("%+v", r)
	}
	if path := same(before, files(t, fsys)); path != "" {
		t.Errorf("%s was changed", path)
	}
}

// TestDamageIsKnown: what repair cannot heal is known afterwards without reading
// the log, until it is gone.
func TestDamageIsKnown(t *testing.T) {
	fsys := closed(t)
	path := names(t, fsys, "commitlog")[1]
	b := load(t, fsys, path)
	b[1000] ^= 1
	save(t, fsys, path, b)
	known := func() (n int) {
		t.Helper()
		i, err := actorstore.Inspect(t.Context(), options(fsys))
		must(t, err)
		defer i.Close()
		return len(i.Report().Findings)
	}
	if known() != 0 {
		t.Fatal("known before anybody has looked")
	}
	for range 2 {
		r, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
		must(t, err)
		if len(r.Steps) != 0 || len(r.Left) != 1 || known() != 1 {
			t.Errorf("steps %v, left %v, known %d", r.Steps, r.Left, known())
		}
	}
	b[1000] ^= 1
	save(t, fsys, path, b)
	if known() != 0 {
		t.Error("known, but it is whole again")
	}
	_, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
	must(t, err)
	if _, err := fsys.Stat(root + "/actorstore/damage"); err == nil {
		t.Error("the file is still there")
	}
}
