package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/tests/golden"
)

// hurt is a store with a segment that is too short, two that changed places, a
// damaged queue unit and a file that does not belong.
func hurt(t *testing.T) string {
	t.Helper()
	dir := golden.Open(t, golden.Clean)
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Truncate(in("commitlog/00000000000000196608"), 50000))
	must(os.Rename(in("commitlog/00000000000000065536"), in("commitlog/x")))
	must(os.Rename(in("commitlog/00000000000000131072"), in("commitlog/00000000000000065536")))
	must(os.Rename(in("commitlog/x"), in("commitlog/00000000000000131072")))
	must(os.WriteFile(in("commitlog/notes.txt"), []byte("not a segment"), 0o644))
	damage(t, in("consumequeue/orders/0/00000000000000000000"), 42, 2)
	return dir
}

func TestRepair(t *testing.T) {
	dir := hurt(t)
	before := footprint(t, dir)
	for _, command := range []string{"verify", "stat", "repair", "repair --json"} {
		o := program(t, strings.Fields(command+" "+dir)...)
		if o.code != exitFailed {
			t.Errorf("%s: exit code %d: %s", command, o.code, o.err)
		}
		if !strings.Contains(o.out, "notes.txt") || !strings.Contains(o.out, "file of 65536 bytes") {
			t.Errorf("%s: %s", command, o.out)
		}
	}
	if o := program(t, "put", dir, "orders", "x"); o.code != exitFailed || !strings.Contains(o.err, "actorstore repair") {
		t.Errorf("put: exit code %d: %s", o.code, o.err)
	}
	if footprint(t, dir) != before {
		t.Fatal("something was changed without --yes")
	}
	o := program(t, "repair", "--yes", dir)
	if o.code != exitFailed || !strings.Contains(o.err, "cannot be healed") || !strings.Contains(o.out, "kept aside") {
		t.Errorf("repair --yes: exit code %d: %s%s", o.code, o.out, o.err)
	}
	for _, name := range []string{"commitlog/notes.txt"} {
		if _, err := os.Stat(filepath.Join(dir, "actorstore", "aside", filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	before = footprint(t, dir)
	o = program(t, "repair", "--yes", "--json", dir)
	lines := o.lines()
	if o.code != exitFailed || !strings.HasPrefix(lines[len(lines)-1], `{"steps":0,`) || !strings.HasPrefix(lines[0], `{"finding":"commitlog"`) {
		t.Errorf("again: exit code %d: %s%s", o.code, o.out, o.err)
	}
	o = program(t, "verify", dir)
	if o.code != exitFailed || strings.Contains(o.out, "consumequeue") {
		t.Errorf("verify: exit code %d: %s", o.code, o.out)
	}
	if footprint(t, dir) != before {
		t.Error("a second repair, or verify, has changed something")
	}
}

// TestRepairHealsAll: where no record is damaged the exit code says so, and what
// can be read is what could be read before.
func TestRepairHealsAll(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	want := succeeds(t, "export", "--json", dir).out
	damage(t, filepath.Join(dir, "consumequeue", "orders", "0", "00000000000000000000"), 42, 2)
	succeeds(t, with(geometry, "repair", "--yes", dir)...)
	succeeds(t, with(geometry, "verify", dir)...)
	if o := succeeds(t, with(geometry, "repair", dir)...); !strings.Contains(o.out, "nothing to repair") {
		t.Error(o.out)
	}
	if got := succeeds(t, "export", "--json", dir).out; got != want {
		t.Error("export is another")
	}
}

// TestRepairAsks: a step that gives something up waits for a decision.
func TestRepairAsks(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	other, err := os.ReadFile(filepath.Join(dir, "commitlog", "00000000000000065536"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "commitlog", "00000000000000196608"), other, 0o644); err != nil {
		t.Fatal(err)
	}
	before := footprint(t, dir)
	o := program(t, "repair", "--yes", dir)
	if o.code != exitFailed || !strings.Contains(o.err, "--skip-damaged") || !strings.Contains(o.out, "needs --skip-damaged") {
		t.Errorf("exit code %d: %s%s", o.code, o.out, o.err)
	}
	if footprint(t, dir) != before {
		t.Error("something was changed")
	}
	if o := program(t, "repair", "--yes", "--skip-damaged", dir); o.code != exitFailed || !strings.Contains(o.err, "1 damaged place") {
		t.Errorf("exit code %d: %s%s", o.code, o.out, o.err)
	}
	succeeds(t, "put", dir, "orders", "x")
	if o := program(t, "repair", t.TempDir()); o.code != exitNotFound {
		t.Errorf("no store: exit code %d", o.code)
	}
}
