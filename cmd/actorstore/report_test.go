package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/tests/golden"
)

// With --json what went wrong was plain text.
func TestErrorsAreJSON(t *testing.T) {
	clean, short := golden.Open(t, golden.Clean), golden.Open(t, golden.Clean)
	segment := filepath.Join(short, "commitlog", "00000000000000131072")
	if err := os.Truncate(segment, 30000); err != nil {
		t.Fatal(err)
	}
	foreign := golden.Open(t, golden.V2)
	if err := os.WriteFile(filepath.Join(foreign, "consumequeue", "CURRENT"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	used := t.TempDir()
	putMany(t, smallStore(t, used), 1)
	for _, c := range []struct {
		args string
		code int
		kind string
		path string
		try  string
	}{
		{"--json frob", exitUsage, "usage", "", "actorstore help"},
		{"get --json --frob " + clean, exitUsage, "usage", "", "actorstore get --help"},
		{"get --frob --json=true " + clean, exitUsage, "usage", "", "actorstore get --help"},
		{"put --json " + clean + " a/b x", exitUsage, "usage", "", "change the message"},
		{"get --json " + clean + " nowhere", exitNotFound, "not-found", "", "actorstore stat " + clean},
		{"run --json " + clean + " nofile --topic t", exitNotFound, "not-found", "nofile", "a file"},
		{"stat --json " + foreign, exitUnsupported, "unsupported", filepath.Join(foreign, "consumequeue", "CURRENT"), ""},
		{"put --json " + used + " t x", exitBusy, "busy", filepath.Join(used, "lock"), "stop the process"},
		{"put --json " + short + " t x", exitFailed, "damage", segment, "actorstore repair " + short},
		{"verify --json " + short, exitFailed, "damage", "", "actorstore repair " + short},
	} {
		o := program(t, strings.Fields(c.args)...)
		lines := strings.Split(strings.TrimSuffix(o.err, "\n"), "\n")
		var got struct {
			Error, Kind, Path, Try string
			Code                   int
			Offset                 *int64
		}
		for i, l := range lines {
			if err := json.Unmarshal([]byte(l), &got); err != nil || i < len(lines)-1 && !strings.HasPrefix(l, `{"note":`) {
				t.Errorf("%s: not JSON (%v): %s", c.args, err, l)
			}
		}
		if o.code != c.code || got.Code != c.code || got.Error == "" || got.Kind != c.kind || got.Path != c.path ||
			!strings.HasPrefix(got.Try, c.try) || (got.Kind == "damage" && got.Path != "") != (got.Offset != nil) {
			t.Errorf("%s: exit code %d: %s", c.args, o.code, o.err)
		}
	}
	if o := program(t, "get", "--", clean, "--json"); !strings.HasPrefix(o.err, "actorstore: ") {
		t.Errorf("a topic is no flag: %s", o.err)
	}
}

// An error of opening had a second line, "store is closed", and told the next step
// twice.
func TestFailedOpenIsOneLineAndAHint(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	if err := os.Truncate(filepath.Join(dir, "commitlog", "00000000000000131072"), 30000); err != nil {
		t.Fatal(err)
	}
	for range 10 {
		o := program(t, "put", dir, "orders", "x")
		// The offset is a physical one, for dump.
		if o.code != exitFailed || strings.Count(o.err, "\n") != 2 || !strings.Contains(o.err, ": offset 161072: ") || strings.Contains(o.err, "closed") || strings.Count(o.err, "actorstore repair") != 1 {
			t.Fatalf("exit code %d: %s", o.code, o.err)
		}
	}
}

// verify sent people to repair for damage that repair had just left.
func TestVerifyHintsAtWhatHelps(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	damage(t, filepath.Join(dir, "commitlog", "00000000000000065536"), 3000, 3)
	damage(t, filepath.Join(dir, "consumequeue", "orders", "0", "00000000000000000000"), 42, 2)
	o := program(t, "verify", dir)
	if !strings.Contains(o.err, ", 1 of them lasting") || !strings.Contains(o.err, "actorstore repair "+dir+" says") ||
		strings.Count(o.out, "lasting") != 1 {
		t.Errorf("before: %s%s", o.out, o.err)
	}
	program(t, with(geometry, "repair", "--yes", dir)...)
	o = program(t, "verify", dir)
	if o.code != exitFailed || strings.Contains(o.err, "repair") || !strings.Contains(o.err, ", which nothing can heal; all other records are served") ||
		!strings.Contains(o.err, "actorstore dump "+dir+" --ruler") {
		t.Errorf("after: exit code %d: %s", o.code, o.err)
	}
	if o := program(t, "verify", dir, "--json"); !strings.Contains(o.out, `"heals":false}`) || !strings.Contains(o.out, `{"findings":1,"lasting":1,`) {
		t.Errorf("after: %s", o.out)
	}
	// Where only an index file is damaged, no place of the log is to be looked at.
	index := golden.Open(t, golden.Clean)
	files, err := os.ReadDir(filepath.Join(index, "index"))
	if err != nil {
		t.Fatal(err)
	}
	damage(t, filepath.Join(index, "index", files[0].Name()), 500, 20)
	if o := program(t, "verify", index); strings.Contains(o.err, "dump") || !strings.Contains(o.err, "actorstore repair "+index) {
		t.Errorf("index: %s", o.err)
	}
}

// A size that a store does not have was told as damage, and another size of queue
// files built all queues anew.
func TestOtherSizesAreUsage(t *testing.T) {
	for _, c := range []struct{ store, flag, value, says string }{
		{golden.Clean, "--segment-size", "1MiB", "--segment-size: want 65536, the size of the files"},
		{golden.Clean, "--segment-size", "4096", "--segment-size: want 65536, the size of the files"},
		{golden.V2, "--segment-size", "1MiB", "--segment-size: the segment found has 65536 bytes, got 1048576"},
		{golden.Clean, "--queue-file-size", "6000000", "--queue-file-size: want 2000, the size of the files"},
	} {
		dir := golden.Open(t, c.store)
		before := footprint(t, dir)
		o := program(t, "put", dir, "orders", "x", c.flag, c.value)
		if o.code != exitUsage || !strings.Contains(o.err, c.says) || strings.Contains(o.err, "FoundOptions") ||
			!strings.Contains(o.err, "try: leave ") {
			t.Errorf("%v: exit code %d: %s", c, o.code, o.err)
		}
		if footprint(t, dir) != before {
			t.Errorf("%v: the store was changed", c)
		}
		succeeds(t, with(geometry, "put", dir, "orders", "x")...)
	}
}

// A store whose last segment had gone after a clean stop was opened, and its queues
// cut, without a word.
func TestOpenTellsOfQueuesThatKnowMore(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	if err := os.Remove(filepath.Join(dir, "commitlog", "00000000000000458752")); err != nil {
		t.Fatal(err)
	}
	o := succeeds(t, with(geometry, "put", dir, "orders", "x")...)
	if !strings.Contains(o.err, "closed cleanly, but is damaged: 13 findings, the first: ") {
		t.Errorf("%q", o.err)
	}
	if o := succeeds(t, "put", dir, "orders", "x"); o.err != "" {
		t.Errorf("again: %q", o.err)
	}
}
