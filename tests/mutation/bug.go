package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// bug is one change that the tests must notice.
type bug struct {
	name  string // of its file, without .txt
	what  string // in a sentence or two
	file  string // the source file, from the module's directory, with slashes
	kills []kill
	edits []edit
}

// kill is what must find a bug: each of these tests.
type kill struct {
	pkg   string // as the go command takes it: ./commitlog
	tests []string
	flags []string
}

// edit replaces whole lines.
type edit struct{ before, after string }

const (
	beforeMarker = "-- before --"
	afterMarker  = "-- after --"
)

// parse reads the file of a bug.
func parse(name, text string) (*bug, error) {
	b := &bug{name: name}
	head, edits, _ := strings.Cut(text, beforeMarker+"\n")
	var what []string
	for line := range strings.Lines(head) {
		line = strings.TrimSpace(line)
		if file, ok := strings.CutPrefix(line, "file:"); ok {
			b.file = strings.TrimSpace(file)
		} else if list, ok := strings.CutPrefix(line, "kill:"); ok {
			k, err := parseKill(list)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			b.kills = append(b.kills, k)
		} else {
			what = append(what, line)
		}
	}
	b.what = strings.TrimSpace(strings.Join(what, " "))
	for part := range strings.SplitSeq(edits, beforeMarker+"\n") {
		before, after, ok := strings.Cut(part, afterMarker+"\n")
		if !ok {
			return nil, fmt.Errorf("%s: no line %q behind %q", name, afterMarker, beforeMarker)
		}
		b.edits = append(b.edits, edit{before, after})
	}
	if b.what == "" || b.file == "" || len(b.kills) == 0 {
		return nil, fmt.Errorf("%s: want a sentence, a line \"file:\" and a line \"kill:\"", name)
	}
	return b, nil
}

func parseKill(line string) (kill, error) {
	words := strings.Fields(line)
	if len(words) < 2 || strings.HasPrefix(words[1], "-") {
		return kill{}, fmt.Errorf("kill: want a package and its tests, got %q", line)
	}
	k := kill{pkg: words[0]}
	flags := slices.IndexFunc(words, func(w string) bool { return strings.HasPrefix(w, "-") })
	if flags < 0 {
		flags = len(words)
	}
	k.tests, k.flags = words[1:flags], words[flags:]
	return k, nil
}

// String is what a reader would type behind go test.
func (k kill) String() string {
	return strings.Join(slices.Concat([]string{k.pkg}, k.tests, k.flags), " ")
}

// planted is the source of the bug's file with the bug in it.
func (b *bug) planted(root string) ([]byte, error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(b.file)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.name, err)
	}
	text := "\n" + string(source)
	for _, e := range b.edits {
		if n := timesIn(text, "\n"+e.before); n != 1 || e.before == e.after || e.before == "" {
			return nil, fmt.Errorf("%s: its text stands %d times in %s, want once:\n%s", b.name, n, b.file, e.before)
		}
		text = strings.Replace(text, "\n"+e.before, "\n"+e.after, 1)
	}
	return []byte(text[1:]), nil
}

// timesIn counts lines in text. They begin and end with a line break, so two that
// follow each other share one.
func timesIn(text, lines string) (n int) {
	for {
		i := strings.Index(text, lines)
		if i < 0 {
			return n
		}
		n++
		text = text[i+1:]
	}
}

// bugs reads all of them, by name.
func bugs(dir string) ([]*bug, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	list := make([]*bug, 0, len(paths))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		b, err := parse(strings.TrimSuffix(filepath.Base(path), ".txt"), string(text))
		if err != nil {
			return nil, err
		}
		list = append(list, b)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no bugs in %s", dir)
	}
	return list, nil
}
