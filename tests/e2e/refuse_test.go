package e2e_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
)

// isA reports whether an error is one of a type, and says so.
func isA[E error](names func(E) string, want string) func(*testing.T, error) {
	return func(t *testing.T, err error) {
		t.Helper()
		var e E
		if !errors.As(err, &e) {
			t.Fatalf("error %v, want a %T", err, e)
		}
		if got := names(e); !strings.HasSuffix(filepath.ToSlash(got), want) {
			t.Errorf("the error names %q, want %q", got, want)
		}
	}
}

func corrupt(path string) func(*testing.T, error) {
	return isA(func(e *actorstore.CorruptionError) string { return e.Path }, path)
}

func unsupported(path string) func(*testing.T, error) {
	return isA(func(e *actorstore.UnsupportedError) string { return e.Path }, path)
}

func option(name string) func(*testing.T, error) {
	return isA(func(e *actorstore.OptionError) string { return e.Option }, name)
}

// write makes a file, and its directories, below a store.
func write(t testing.TB, content string, path ...string) {
	t.Helper()
	name := filepath.Join(path...)
	must(t, os.MkdirAll(filepath.Dir(name), 0o755))
	must(t, os.WriteFile(name, []byte(content), 0o644))
}

// TestRefused: a store that cannot be served right is refused with an error that
// says why, by Open and by Inspect, and not a byte of it is changed.
func TestRefused(t *testing.T) {
	segment := func(n int64) string { return mapped.Name(n * golden.SegmentSize) }
	for _, c := range []struct {
		name    string
		change  func(t *testing.T, dir string, o *actorstore.Options)
		refused func(*testing.T, error)
		look    string // Inspect opens it, and Verify names this file
	}{
		{"segments larger than said", func(_ *testing.T, _ string, o *actorstore.Options) {
			o.MappedFileSizeCommitLog = golden.SegmentSize / 2
		}, option("MappedFileSizeCommitLog"), ""},
		{"segments smaller than said", func(_ *testing.T, _ string, o *actorstore.Options) {
			o.MappedFileSizeCommitLog = 2 * golden.SegmentSize
		}, option("MappedFileSizeCommitLog"), ""},
		{"queue files smaller than said", func(_ *testing.T, _ string, o *actorstore.Options) {
			o.MappedFileSizeConsumeQueue = 6_000_000
		}, option("MappedFileSizeConsumeQueue"), ""},
		{"a number that is no offset", func(t *testing.T, dir string, _ *actorstore.Options) {
			write(t, "", dir, "commitlog", mapped.Name(1234))
		}, corrupt("commitlog/" + mapped.Name(1234)), "commitlog/" + mapped.Name(1234)},
		{"an empty segment in the middle", func(t *testing.T, dir string, _ *actorstore.Options) {
			must(t, os.Truncate(filepath.Join(dir, "commitlog", segment(2)), 0))
		}, corrupt("commitlog/" + segment(2)), "commitlog/" + segment(2)},
		{"a short segment in the middle", func(t *testing.T, dir string, _ *actorstore.Options) {
			must(t, os.Truncate(filepath.Join(dir, "commitlog", segment(2)), 4096))
		}, corrupt("commitlog/" + segment(2)), "commitlog/" + segment(2)},
		{"queues in RocksDB", func(t *testing.T, dir string, _ *actorstore.Options) {
			write(t, "MANIFEST-000004\n", dir, "consumequeue", "CURRENT")
		}, unsupported("consumequeue/CURRENT"), ""},
		{"queues in RocksDB beside", func(t *testing.T, dir string, _ *actorstore.Options) {
			write(t, "MANIFEST-000004\n", dir, "consumequeue_rocksdb", "CURRENT")
		}, unsupported("consumequeue_rocksdb/CURRENT"), ""},
		{"DLedger", func(t *testing.T, dir string, _ *actorstore.Options) {
			write(t, "", dir, "dledger-n0", "data", segment(0))
		}, unsupported("dledger-n0"), ""},
		{"several paths", func(_ *testing.T, dir string, o *actorstore.Options) {
			o.StorePathCommitLog = dir + "/a," + dir + "/b"
		}, option("StorePathCommitLog"), ""},
		{"no root", func(_ *testing.T, _ string, o *actorstore.Options) { o.StorePathRootDir = "" }, option("StorePathRootDir"), ""},
		{"no room for a unit", func(_ *testing.T, _ string, o *actorstore.Options) {
			o.MappedFileSizeConsumeQueue = 19
		}, option("MappedFileSizeConsumeQueue"), ""},
		{"delays", func(_ *testing.T, _ string, o *actorstore.Options) { o.MessageDelayLevel = "soon" }, option("MessageDelayLevel"), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := golden.Open(t, golden.Clean)
			o := e2e.Options(dir, golden.SettingsOf(golden.Clean))
			c.change(t, dir, &o)
			before := tree(t, dir)
			s, err := actorstore.Open(t.Context(), o)
			if err == nil {
				closeStore(t, s)
			}
			c.refused(t, err)
			if strings.HasPrefix(c.look, "commitlog") && !strings.Contains(err.Error(), "actorstore repair") {
				t.Errorf("%v does not say what to do", err)
			}
			i, err := actorstore.Inspect(t.Context(), o)
			if err == nil {
				told := false
				must(t, i.Verify(t.Context(), func(f actorstore.Finding) {
					told = told || c.look != "" && strings.HasSuffix(filepath.ToSlash(f.Path), c.look)
				}))
				if !told {
					t.Errorf("verify does not name %q", c.look)
				}
				must(t, i.Close())
			}
			if c.look == "" {
				c.refused(t, err)
			} else {
				must(t, err)
			}
			sameTree(t, dir, before)
		})
	}
}

// TestOccupied: a store that somebody uses can be looked at and nothing else,
// and afterwards it opens.
func TestOccupied(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	o := e2e.Options(dir, golden.SettingsOf(golden.Clean))
	lock, err := checkpoint.Lock(mapped.OS(), filepath.Join(dir, "lock"))
	must(t, err)
	before := tree(t, dir)
	_, err = actorstore.Open(t.Context(), o)
	isA(func(e *actorstore.LockedError) string { return e.Path }, "lock")(t, err)
	if !errors.Is(err, mapped.ErrLocked) {
		t.Error(err)
	}
	i, err := actorstore.Inspect(t.Context(), o)
	must(t, err)
	if !i.Locked() {
		t.Error("not locked")
	}
	same(t, readInspection(t, i, o, golden.Expected(t, golden.Clean)), golden.Lines(t, golden.Clean))
	must(t, i.Close())
	sameTree(t, dir, before)
	must(t, lock.Unlock())

	s := open(t, o)
	for range 3 {
		_, err = actorstore.Open(t.Context(), o)
		isA(func(e *actorstore.LockedError) string { return e.Path }, "lock")(t, err)
	}
	same(t, readStore(t, s, o, nil), golden.Lines(t, golden.Clean)[:len(golden.Lines(t, golden.Clean))-answers(t)])
	closeStore(t, s)
	closeStore(t, open(t, o))
}

// answers is how many lines of the golden reading of clean answer questions.
func answers(t *testing.T) int {
	r := golden.Expected(t, golden.Clean)
	return len(r.Queries) + len(r.Times)
}

// TestNothingThere: a store that does not exist is made by Open, not by Inspect.
func TestNothingThere(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	o := e2e.Options(dir, golden.SettingsOf(golden.Clean))
	if _, err := actorstore.Inspect(t.Context(), o); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Dir(dir)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Inspect made something: %v", err)
	}
	s := open(t, o)
	if topics := s.Topics(); len(topics) != 0 {
		t.Error(topics)
	}
	closeStore(t, s)
	i, err := actorstore.Inspect(t.Context(), o)
	must(t, err)
	if lo, hi := i.Bounds(); !i.Clean() || lo != hi {
		t.Error(lo, hi, i.Clean())
	}
	must(t, i.Close())
	closeStore(t, open(t, o))
}

// TestF05Strays: what does not belong to the store is told of once each, left
// as it is, and does not keep the store from working.
func TestF05Strays(t *testing.T) {
	for _, name := range []string{golden.Clean, golden.Halt, golden.Rebuilt} {
		t.Run(name, func(t *testing.T) {
			dir := golden.Open(t, name)
			o := e2e.Options(dir, golden.SettingsOf(name))
			var strays []string
			for _, part := range []string{"commitlog", "index", "consumequeue", "consumequeue/orders", "consumequeue/orders/0"} {
				for _, stray := range []string{"core.123", ".nfs0001", mapped.Name(0) + ".bak", mapped.Name(golden.SegmentSize) + ".tmp"} {
					write(t, "stray", dir, part, stray)
					strays = append(strays, filepath.Join(dir, part, stray))
				}
				must(t, os.MkdirAll(filepath.Join(dir, part, "lost+found"), 0o700))
				if part != "consumequeue" && part != "consumequeue/orders" || name == golden.Halt {
					strays = append(strays, filepath.Join(dir, part, "lost+found"))
				}
				must(t, os.Symlink("/nonexistent", filepath.Join(dir, part, "link")))
				strays = append(strays, filepath.Join(dir, part, "link"))
			}
			// These belong to RocketMQ: no warning, no change.
			for _, theirs := range []string{"rocksdbstore/CURRENT", "config/topics.json", "config/delayOffset.json.bak",
				"timerwheel", "timercheck", "timerlog/00000000000000000000", "compaction/position-checkpoint", "abort.bak",
				"epochFileCheckpoint.bak"} {
				write(t, "{}", dir, filepath.FromSlash(theirs))
			}
			must(t, os.MkdirAll(filepath.Join(dir, "consumequeue_ext"), 0o755))
			foreign := foreignFiles(t, dir)
			warned := make(map[string]int)
			o.Events.Stray = func(path, _ string) { warned[path]++ }
			s := open(t, o)
			want := golden.Expected(t, name)
			same(t, readStore(t, s, o, want), want.Lines())
			closeStore(t, s)
			for _, path := range strays {
				if warned[path] > 1 || warned[path] == 0 && !strings.HasSuffix(path, "lost+found") {
					t.Errorf("warned of %s %d times", path, warned[path])
				}
				delete(warned, path)
			}
			for path, n := range warned {
				if !strings.HasSuffix(path, "lost+found") {
					t.Errorf("warned of %s %d times", path, n)
				}
			}
			if after := foreignFiles(t, dir); after != foreign {
				t.Errorf("foreign files changed:\n%s\nto\n%s", foreign, after)
			}
			want.Queries, want.Times = nil, nil
			same(t, inspect(t, o, nil), want.Lines())
		})
	}
}

// foreignFiles lists those files of a store that no store would have made.
func foreignFiles(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	for line := range strings.Lines(tree(t, dir)) {
		path, _, _ := strings.Cut(line, " ")
		for _, part := range []string{"core", ".nfs", ".bak", ".tmp", "lost+found", "link", "rocksdbstore", "config", "timer", "compaction"} {
			if strings.Contains(path, part) && !strings.Contains(line, " d") {
				lines = append(lines, line)
				break
			}
		}
	}
	if len(lines) < 30 {
		t.Fatalf("only %d foreign files", len(lines))
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

// TestF04EmptyLast: a last file of no bytes is what a kill leaves while a file
// is being made; all data is there.
func TestF04EmptyLast(t *testing.T) {
	for _, c := range []struct{ name, file string }{
		{"segment", "commitlog/" + mapped.Name(8*golden.SegmentSize)},
		{"queue file", "consumequeue/orders/0/" + mapped.Name(10*golden.QueueFileSize)},
		{"index file", "index/20990101000000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := golden.Open(t, golden.Clean)
			if c.name == "queue file" {
				files := contents(t, dir, "consumequeue/orders/0")
				c.file = "consumequeue/orders/0/" + mapped.Name(int64(len(files))*golden.QueueFileSize)
			}
			write(t, "", dir, filepath.FromSlash(c.file))
			o := e2e.Options(dir, golden.SettingsOf(golden.Clean))
			want := golden.Expected(t, golden.Clean)
			if c.name != "queue file" { // there the file in front of it is not full, which Inspect reports
				same(t, inspect(t, o, want), want.Lines())
			}
			s := open(t, o)
			same(t, readStore(t, s, o, want), want.Lines())
			closeStore(t, s)
			same(t, inspect(t, o, want), want.Lines())
		})
	}
}
