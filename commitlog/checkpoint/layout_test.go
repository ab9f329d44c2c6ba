package checkpoint_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// newStore is an empty store on the real file system.
func newStore(t *testing.T) (mapped.FS, checkpoint.Layout) {
	t.Helper()
	return mapped.OS(), checkpoint.NewLayout(t.TempDir(), "")
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func get(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// tree lists every file below root.
func tree(t *testing.T, root string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(root, func(p string, e os.DirEntry, err error) error {
		rel, _ := filepath.Rel(root, p)
		names = append(names, rel)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

func TestLayoutNames(t *testing.T) {
	l := checkpoint.NewLayout("/s", "")
	for _, c := range []struct{ got, want string }{
		{l.CommitLog(), "/s/commitlog"},
		{l.ConsumeQueue(), "/s/consumequeue"},
		{l.ConsumeQueueExt(), "/s/consumequeue_ext"},
		{l.BatchConsumeQueue(), "/s/batchconsumequeue"},
		{l.RocksDBQueue(), "/s/consumequeue_rocksdb"},
		{l.Index(), "/s/index"},
		{l.CheckpointFile(), "/s/checkpoint"},
		{l.AbortFile(), "/s/abort"},
		{l.LockFile(), "/s/lock"},
		{l.Config(), "/s/config"},
		{l.TopicsFile(), "/s/config/topics.json"},
		{l.EpochFile(), "/s/epochFileCheckpoint"},
		{l.Ours(), "/s/actorstore"},
		{l.MarkFile(), "/s/actorstore/mark"},
		{l.QueuesFile(), "/s/actorstore/queues"},
		{l.DeletedFile(), "/s/actorstore/deleted"},
		{l.Aside(), "/s/actorstore/aside"},
		{l.Tmp(), "/s/actorstore/tmp"},
		{l.CommitLogTmp(), "/s/actorstore/tmp"},
		{checkpoint.NewLayout("/s", "/s/log").CommitLogTmp(), "/s/actorstore/tmp"},
		{checkpoint.NewLayout("/s", "/d/log").CommitLogTmp(), "/d/log/actorstore-tmp"},
		{checkpoint.NewLayout("/s", "/d/log").CommitLog(), "/d/log"},
	} {
		if filepath.ToSlash(c.got) != c.want {
			t.Errorf("got %s, want %s", c.got, c.want)
		}
	}
}

func TestRefuse(t *testing.T) {
	for _, c := range []struct{ name, file, commitLog, wantPath string }{
		{name: "nothing there"},
		{name: "file queues", file: "consumequeue/T/0/00000000000000000000"},
		{name: "side stores stay", file: "rocksdbstore/CURRENT"},
		{name: "queues in RocksDB", file: "consumequeue/CURRENT", wantPath: "consumequeue/CURRENT"},
		{name: "queues in RocksDB beside", file: "consumequeue_rocksdb/CURRENT", wantPath: "consumequeue_rocksdb/CURRENT"},
		{name: "empty RocksDB directory", file: "consumequeue_rocksdb/x"},
		{name: "DLedger", file: "dledger-n0/data/0", wantPath: "dledger-n0"},
		{name: "a file of that name", file: "dledger-n0"},
		{name: "one other path", commitLog: "/d/log"},
		{name: "two paths", commitLog: "/d/a,/d/b", wantPath: "/d/a,/d/b"},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys, l := newStore(t)
			l = checkpoint.NewLayout(l.Root, c.commitLog)
			if c.file != "" {
				put(t, filepath.Join(l.Root, c.file), "x")
			}
			before := tree(t, l.Root)
			err := l.Refuse(fsys)
			if after := tree(t, l.Root); after != before {
				t.Errorf("tree changed: %s", after)
			}
			if c.wantPath == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			var u *checkpoint.UnsupportedError
			if !errors.As(err, &u) || !errors.Is(err, checkpoint.ErrUnsupported) {
				t.Fatalf("got %v, want UnsupportedError", err)
			}
			if !strings.HasSuffix(filepath.ToSlash(u.Path), c.wantPath) || !strings.Contains(err.Error(), u.Path) || u.Why == "" {
				t.Errorf("got %v, want path %s", u, c.wantPath)
			}
		})
	}
}

func TestRefuseMissingRoot(t *testing.T) {
	fsys, l := newStore(t)
	l = checkpoint.NewLayout(filepath.Join(l.Root, "none"), "")
	if err := l.Refuse(fsys); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(l.Root); !os.IsNotExist(err) {
		t.Error("root was created")
	}
}

func TestRefuseNeverGuesses(t *testing.T) {
	sweep(t, newStore,
		func(f mapped.FS, l checkpoint.Layout) error { return l.Refuse(f) },
		func(*testing.T, mapped.FS, checkpoint.Layout) {})
}

func TestPrepare(t *testing.T) {
	fsys, l := newStore(t)
	other := checkpoint.NewLayout(l.Root, t.TempDir())
	put(t, filepath.Join(l.Tmp(), "half"), "x")
	put(t, filepath.Join(l.Tmp(), "sub", "half"), "x")
	put(t, filepath.Join(other.CommitLogTmp(), "half"), "x")
	put(t, filepath.Join(l.Aside(), "kept"), "x")
	put(t, l.MarkFile(), "stays")
	f := mappedtest.NewScript(fsys)
	if err := checkpoint.Prepare(f, other); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, l.Ours()); got != ". aside aside/kept mark tmp tmp/sub" {
		t.Errorf("left: %s", got)
	}
	if got := tree(t, other.CommitLogTmp()); got != "." {
		t.Errorf("left: %s", got)
	}
	// Made by a process that died, they may not be durable yet.
	calls := strings.Join(trace(f), ",")
	if !strings.Contains(calls, "syncdir actorstore,syncdir "+base(l.Root)) {
		t.Errorf("trace %s", calls)
	}
}

func TestPrepareMakesDirectories(t *testing.T) {
	fsys, l := newStore(t)
	if err := checkpoint.Prepare(fsys, l); err != nil {
		t.Fatal(err)
	}
	if got := tree(t, l.Root); got != ". actorstore actorstore/aside actorstore/tmp" {
		t.Errorf("made: %s", got)
	}
}

func TestPrepareFaults(t *testing.T) {
	prepare := func(t *testing.T) (mapped.FS, checkpoint.Layout) {
		fsys, l := newStore(t)
		put(t, filepath.Join(l.Tmp(), "sub", "half"), "x")
		return fsys, l
	}
	sweep(t, prepare, checkpoint.Prepare, func(*testing.T, mapped.FS, checkpoint.Layout) {})
}
