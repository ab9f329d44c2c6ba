package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/tests/golden"
)

// A store whose log lies at a path of its own (storePathCommitLog) can be written,
// read, checked and repaired by every command.
func TestCommitLogElsewhere(t *testing.T) {
	dir, log := filepath.Join(t.TempDir(), "store"), filepath.Join(t.TempDir(), "log")
	elsewhere := with(small, "--commitlog", log)
	lines := filepath.Join(t.TempDir(), "lines.jsonl")
	if err := os.WriteFile(lines, []byte(`{"topic":"t","keys":"k","body":"two"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	succeeds(t, with(elsewhere, "put", dir, "t", "one", "--key", "k")...)
	succeeds(t, with(elsewhere, "run", dir, lines)...)
	for _, c := range []struct{ args, want string }{
		{"get DIR t --body text", "one"}, {"get DIR t", "two"}, {"tail DIR t", "two"}, {"query DIR t k", "one"},
		{"export DIR", "two"}, {"stat DIR", "1 segment of 64 KiB"}, {"stat --recover DIR", "1 segment of 64 KiB"},
		{"dump DIR", "t"}, {"verify DIR", "no damage"}, {"repair DIR", ""}, {"repair --yes DIR", ""},
	} {
		args := strings.Fields(strings.ReplaceAll(c.args, "DIR", dir))
		o := succeeds(t, with(args, "--commitlog", log, "--index-slots", "97", "--index-entries", "400")...)
		if !strings.Contains(o.out, c.want) {
			t.Errorf("%s lacks %q: %s", c.args, c.want, o.out)
		}
	}
	bench := filepath.Join(t.TempDir(), "bench")
	if o := succeeds(t, with(small, "bench", bench, "--commitlog", bench+"-log", "--count", "50", "--warmup", "0", "--json")...); o.out == "" {
		t.Error("bench says nothing")
	}
	for _, d := range []string{dir, bench} {
		if _, err := os.Stat(filepath.Join(d, "commitlog")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s has a log of its own: %v", d, err)
		}
	}
	if o := program(t, "get", dir, "t"); o.code != exitNotFound || !strings.Contains(o.err, "--commitlog says where") {
		t.Errorf("without the flag: exit code %d: %s", o.code, o.err)
	}
}

// The same for a store of RocketMQ's: file sizes are those of the files at the
// other path, and what is read is what it is at the usual one.
func TestCommitLogElsewhereOfRocketMQ(t *testing.T) {
	for _, name := range golden.Names() {
		dir := golden.Open(t, name)
		want := program(t, "export", "--json", dir)
		log := filepath.Join(t.TempDir(), "log")
		if err := os.Rename(filepath.Join(dir, "commitlog"), log); err != nil {
			t.Fatal(err)
		}
		if got := program(t, "export", "--json", dir, "--commitlog", log); got.code != want.code || got.out != want.out {
			t.Errorf("%s: exit code %d, want %d; %d bytes, want %d\n%s", name, got.code, want.code, len(got.out), len(want.out), got.err)
		}
	}
}
