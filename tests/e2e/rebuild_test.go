package e2e_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
)

// TestRebuildFromLog takes queues, index and checkpoint away. What comes back
// has RocketMQ's bytes, whether the stop looks clean or not.
func TestRebuildFromLog(t *testing.T) {
	for _, name := range []string{golden.Clean, golden.Halt, golden.PropCRC, golden.V2, golden.MultiDispatch} {
		for _, abort := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,abort=%v", name, abort), func(t *testing.T) {
				t.Parallel()
				dir := golden.Open(t, name)
				queues, index := contents(t, dir, "consumequeue"), contents(t, dir, "index")
				takeDerived(t, dir, abort)
				o := e2e.Options(dir, golden.SettingsOf(name))
				s := open(t, o)
				same(t, readStore(t, s, o, golden.Expected(t, name)), golden.Lines(t, name))
				closeStore(t, s)
				sameFiles(t, contents(t, dir, "consumequeue"), queues)
				// An index file is named by the clock when it was made.
				sameFiles(t, unnamed(contents(t, dir, "index")), unnamed(index))
			})
		}
	}
}

// TestRebuildTrimmed: without its first segments the log does not know what the
// queues held there. What it knows comes back at its old place.
func TestRebuildTrimmed(t *testing.T) {
	for _, abort := range []bool{false, true} {
		t.Run(fmt.Sprintf("abort=%v", abort), func(t *testing.T) {
			t.Parallel()
			dir := golden.Open(t, golden.Trimmed)
			queues := contents(t, dir, "consumequeue")
			takeDerived(t, dir, abort)
			o := e2e.Options(dir, golden.SettingsOf(golden.Trimmed))
			s := open(t, o)
			want := golden.Expected(t, golden.TrimmedRebuilt)
			same(t, readStore(t, s, o, want), want.Lines())
			closeStore(t, s)
			sameUnitsFrom(t, want.Min, contents(t, dir, "consumequeue"), queues)
		})
	}
}

// TestRebuildPart takes single parts away: the others stay as they are.
func TestRebuildPart(t *testing.T) {
	for _, gone := range []string{"index", "checkpoint", "consumequeue/orders", "consumequeue/orders/1",
		"consumequeue/payments/2/00000000000000000000", "lock"} {
		t.Run(gone, func(t *testing.T) {
			t.Parallel()
			dir := golden.Open(t, golden.Clean)
			queues, index := contents(t, dir, "consumequeue"), contents(t, dir, "index")
			must(t, os.RemoveAll(filepath.Join(dir, filepath.FromSlash(gone))))
			o := e2e.Options(dir, golden.SettingsOf(golden.Clean))
			s := open(t, o)
			same(t, readStore(t, s, o, golden.Expected(t, golden.Clean)), golden.Lines(t, golden.Clean))
			closeStore(t, s)
			sameFiles(t, contents(t, dir, "consumequeue"), queues)
			sameFiles(t, unnamed(contents(t, dir, "index")), unnamed(index))
		})
	}
}

// takeDerived removes all that follows from the log, and makes or removes the
// abort marker.
func takeDerived(t *testing.T, dir string, abort bool) {
	t.Helper()
	for _, part := range []string{"consumequeue", "index", "checkpoint", "abort"} {
		must(t, os.RemoveAll(filepath.Join(dir, part)))
	}
	if abort {
		must(t, os.WriteFile(filepath.Join(dir, "abort"), []byte("1"), 0o644))
	}
}

// file is a file of a store: its path below the part, with slashes.
type file struct {
	name    string
	content []byte
}

// contents are the files below a part of a store, sorted by name.
func contents(t testing.TB, dir, part string) []file {
	t.Helper()
	root := filepath.Join(dir, part)
	var files []file
	must(t, filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		b, err := os.ReadFile(path)
		files = append(files, file{filepath.ToSlash(rel), b})
		return err
	}))
	if len(files) == 0 {
		t.Fatalf("no files in %s", root)
	}
	return files
}

// unnamed gives files their place in the order as a name.
func unnamed(files []file) []file {
	list := make([]file, len(files))
	for i, f := range files {
		list[i] = file{fmt.Sprint(i), f.content}
	}
	return list
}

func sameFiles(t testing.TB, got, want []file) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		g, w := got[i], want[i]
		if g.name != w.name {
			t.Fatalf("file %s, want %s", g.name, w.name)
		}
		if bytes.Equal(g.content, w.content) {
			continue
		}
		at := 0
		for at < min(len(g.content), len(w.content)) && g.content[at] == w.content[at] {
			at++
		}
		t.Fatalf("%s: %d bytes, want %d; they differ at %d:\n got % x\nwant % x", g.name, len(g.content), len(w.content), at,
			g.content[at:min(at+40, len(g.content))], w.content[at:min(at+40, len(w.content))])
	}
	if len(got) != len(want) {
		t.Fatalf("%d files, want %d", len(got), len(want))
	}
}

// sameUnitsFrom compares the queue units whose records stand at or above min.
// Those below are gone, or blank, in got.
func sameUnitsFrom(t testing.TB, min int64, got, want []file) {
	t.Helper()
	const size = 20
	have := make(map[string][]byte)
	for _, f := range got {
		have[f.name] = f.content
	}
	compared := 0
	for _, f := range want {
		for at := 0; at < len(f.content); at += size {
			unit := f.content[at : at+size]
			if int64(binary.BigEndian.Uint64(unit)) < min || binary.BigEndian.Uint32(unit[8:]) == 0 {
				continue
			}
			compared++
			if b := have[f.name]; len(b) != len(f.content) || !bytes.Equal(b[at:at+size], unit) {
				t.Fatalf("%s: unit at %d is not % x", f.name, at, unit)
			}
		}
		delete(have, f.name)
	}
	for name := range have {
		t.Errorf("%s is new", name)
	}
	if compared < 100 {
		t.Errorf("only %d units were compared", compared)
	}
}
