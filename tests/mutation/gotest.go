package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// outcome is how a run of go test ended.
type outcome struct {
	built  bool              // a test was started
	tests  map[string]string // top-level tests: "pass", "fail", "skip"; nothing for one that did not begin
	output string
}

// goTest runs the tests of k in the module at root, with an overlay unless that
// is "". The tests may take as long as limit.
func goTest(ctx context.Context, root, overlay string, k kill, limit time.Duration) outcome {
	args := []string{"test", "-json", "-count=1", "-vet=off", "-ldflags=-w", "-timeout", limit.String(),
		"-run", "^(" + strings.Join(k.tests, "|") + ")$"}
	if overlay != "" {
		args = append(args, "-overlay", overlay)
	}
	args = slices.Concat(args, []string{k.pkg}, k.flags, propertyFlags(filepath.Join(root, filepath.FromSlash(k.pkg))))
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = root
	out, err := cmd.CombinedOutput()
	o := read(out)
	if err != nil && o.output == "" {
		o.output = err.Error()
	}
	return o
}

// propertyFlags let property tests draw the same each time, so that a bug is found
// always or never; keep them from looking for a smaller case for up to half a minute,
// of the one that a bug's tests have; and from writing down the seed at which they
// found it: it would be tried again by every later run in that directory.
func propertyFlags(dir string) []string {
	tests, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	for _, path := range tests {
		if b, err := os.ReadFile(path); err == nil && bytes.Contains(b, []byte(`"pgregory.net/rapid"`)) {
			return []string{"-rapid.nofailfile", "-rapid.seed=1", "-rapid.shrinktime=1s"}
		}
	}
	return nil
}

// read takes the events of go test -json apart. Lines that are none, such as
// those of the compiler, are kept as output.
func read(out []byte) outcome {
	o := outcome{tests: make(map[string]string)}
	var text strings.Builder
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		var e struct{ Action, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			text.Write(append(lines.Bytes(), '\n'))
			continue
		}
		text.WriteString(e.Output)
		if e.Test == "" || strings.Contains(e.Test, "/") {
			continue
		}
		switch e.Action {
		case "run":
			o.built = true
			o.tests[e.Test] = "fail" // should the process end in it: a panic, or -timeout
		case "pass", "fail", "skip":
			o.tests[e.Test] = e.Action
		}
	}
	o.output = text.String()
	return o
}

// not are the tests of k that did not end as wanted.
func (o outcome) not(wanted string, k kill) []string {
	var list []string
	for _, t := range k.tests {
		if o.tests[t] != wanted {
			list = append(list, t)
		}
	}
	return list
}

// overlay writes the planted file and the list that tells the go command of it
// into dir, and gives the path of the list.
func (b *bug) overlay(root, dir string) (string, error) {
	text, err := b.planted(root)
	if err != nil {
		return "", err
	}
	source := filepath.Join(dir, b.name+".go")
	if err := os.WriteFile(source, text, 0o644); err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{
		"Replace": {filepath.Join(root, filepath.FromSlash(b.file)): source},
	})
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, b.name+".json")
	return path, os.WriteFile(path, list, 0o644)
}

// moduleRoot is the directory of the module that the command runs in.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env GOMOD: %w", err)
	}
	path := strings.TrimSpace(string(out))
	if filepath.Base(path) != "go.mod" {
		return "", fmt.Errorf("run it inside the module")
	}
	return filepath.Dir(path), nil
}
