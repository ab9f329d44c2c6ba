package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// sample is a module with a function and tests of it.
var sample = map[string]string{
	"go.mod":     "module sample\n\ngo 1.26\n",
	"add/doc.go": "// Package add adds.\npackage add\n",
	"add/add.go": "package add\n\n// Add adds.\nfunc Add(a, b int) int {\n\treturn a + b\n}\n",
	"add/add_test.go": "package add\n\nimport \"testing\"\n\n" +
		"func TestAdd(t *testing.T) {\n\tif Add(2, 3) != 5 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n\n" +
		"func TestNothing(t *testing.T) {\n\tAdd(2, 3)\n}\n\n" +
		"func TestWrong(t *testing.T) {\n\tif Add(2, 3) != 6 {\n\t\tt.Error(\"wrong\")\n\t}\n}\n",
}

// The judge believes a test that fails because of the bug, and nothing else.
func TestJudge(t *testing.T) {
	root := t.TempDir()
	for name, text := range sample {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ name, tests, after, why string }{
		{"found", "TestAdd", "return a - b", ""},
		{"panic", "TestAdd", "panic(a + b)", ""},
		{"endless", "TestAdd", "select {}", ""},
		{"survives", "TestNothing", "return a - b", "survives ./add TestNothing"},
		{"half", "TestAdd TestNothing", "return a - b", "survives ./add TestNothing"},
		{"fails-anyway", "TestWrong", "return a - b", "./add TestWrong fails without the bug, too"},
		{"does-not-compile", "TestAdd", "return a - c", "does not compile"},
		{"no-such-test", "TestNone", "return a - b", "does not compile, or no such test"},
	} {
		t.Run(c.name, func(t *testing.T) {
			b, err := parse(c.name, "A bug.\nfile: add/add.go\nkill: ./add "+c.tests+
				"\n-- before --\n\treturn a + b\n-- after --\n\t"+c.after+"\n")
			if err != nil {
				t.Fatal(err)
			}
			list := []*bug{b}
			j := &judge{root: root, limit: time.Minute, workers: 2}
			if c.name == "endless" { // of the others none may come to the limit on a busy machine
				j.limit = 2 * time.Second
			}
			if failed := j.sound(t.Context(), list); len(failed) > 0 != (c.name == "fails-anyway" || c.name == "no-such-test") {
				t.Errorf("without the bug: %q", failed)
			}
			told := 0
			err = j.all(t.Context(), list, func(v verdict) {
				told++
				if v.why == "" != (c.why == "") || !strings.Contains(v.why, c.why) {
					t.Errorf("%q, want %q\n%s", v.why, c.why, v.output)
				}
				if v.why == "" && len(v.killed) != 1 {
					t.Errorf("found by %q", v.killed)
				}
			})
			if err != nil || told != 1 {
				t.Errorf("%d verdicts, %v", told, err)
			}
		})
	}
}

// What is no bug is not read as one.
func TestParse(t *testing.T) {
	const good = "A bug.\nfile: a.go\nkill: ./a TestA -n 3\n-- before --\nx\n-- after --\ny\n"
	b, err := parse("good", good)
	if err != nil || b.what != "A bug." || b.file != "a.go" || len(b.kills) != 1 || b.kills[0].String() != "./a TestA -n 3" ||
		len(b.edits) != 1 || b.edits[0] != (edit{"x\n", "y\n"}) {
		t.Errorf("%+v, %v", b, err)
	}
	for _, part := range []string{"A bug.\n", "file: a.go\n", "kill: ./a TestA -n 3\n", "-- before --\nx\n", "-- after --\ny\n", "TestA "} {
		if _, err := parse("bad", strings.Replace(good, part, "", 1)); err == nil {
			t.Errorf("read without %q", part)
		}
	}
	dir := t.TempDir()
	for text, fits := range map[string]bool{"x\n": true, "x\nx\n": false, "xx\n": false, "x y\n": false, "": false} {
		if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := b.planted(dir); err == nil != fits || fits && string(got) != "y\n" {
			t.Errorf("in %q: %q, %v", text, got, err)
		}
	}
}
