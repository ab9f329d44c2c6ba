package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

type demoOutcome struct{ Lines, Acked, Found, Lost, Damaged int }

func runDemo(t *testing.T, args ...string) demoOutcome {
	t.Helper()
	t.Setenv(asProgram, "1")
	o := succeeds(t, append([]string{"demo", "--json"}, args...)...)
	var d demoOutcome
	if err := json.Unmarshal([]byte(o.out), &d); err != nil {
		t.Fatalf("%v: %s", err, o.out)
	}
	if d.Acked < d.Lines/2 || d.Found < d.Acked || d.Found > d.Lines || d.Lost != 0 || d.Damaged != 0 {
		t.Errorf("got %+v", d)
	}
	return d
}

func TestDemo(t *testing.T) {
	if d := runDemo(t); d.Lines < 1000 {
		t.Errorf("only %d lines of source", d.Lines)
	}
}

func TestDemoKeeps(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "kept")
	d := runDemo(t, "--keep", "--flush", "async", "--input", "democheck.go", dir)
	o := succeeds(t, "get", "--json", "-n", "-1", dir, demoTopic)
	if len(o.lines()) != d.Found {
		t.Errorf("%d messages, want %d", len(o.lines()), d.Found)
	}
	succeeds(t, "verify", dir)
}

func TestDemoTells(t *testing.T) {
	t.Setenv(asProgram, "1")
	o := succeeds(t, "demo")
	for _, want := range []string{"1 put", "2 kill", "SIGKILL", "3 reopen", "4 check", "5 offset", "6 key", "7 time", "0 lost"} {
		if !strings.Contains(o.out, want) {
			t.Errorf("lacks %q:\n%s", want, o.out)
		}
	}
}
