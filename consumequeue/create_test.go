package consumequeue_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// mkdirFS is a file system that can make a directory without a sync.
type mkdirFS struct {
	mapped.FS
	fail func(name string) error
}

func (f mkdirFS) Mkdir(name string) error {
	if f.fail != nil {
		if err := f.fail(name); err != nil {
			return err
		}
	}
	return os.Mkdir(name, 0o755)
}

func machineOptions(t testing.TB, fsys mapped.FS) cq.Options {
	dir := t.TempDir()
	return cq.Options{FS: fsys, Dir: dir + "/consumequeue", BatchDir: dir + "/batch", TmpDir: dir + "/tmp", FileSize: fileSize}
}

// Making queues syncs nothing; the next Sync covers file, queue, topic and root.
func TestCreateSyncsAtSync(t *testing.T) {
	script := mappedtest.NewScript(mapped.OS())
	o := machineOptions(t, mkdirFS{FS: script})
	s := open(t, o)
	_, err := s.Sync()
	noErr(t, err)
	for topic := range 2 {
		for id := range int32(2) {
			noErr(t, ensure(t, s, fmt.Sprint("topic", topic), id, cq.Simple).Append(entries(0, 1)))
		}
	}
	if n := script.Count(mappedtest.OpMkdirAll); n != 2 {
		t.Fatalf("%d synced directories, want the root and the one for files in the making", n)
	}
	if n := script.Count(mappedtest.OpSyncDir) + script.Count(mappedtest.OpDatasync); n != 0 {
		t.Fatalf("%d syncs before Sync", n)
	}
	_, err = s.Sync()
	noErr(t, err)
	// Four queues, two topics, the root and the directory of the root.
	if n := script.Count(mappedtest.OpSyncDir); n != 8 {
		t.Fatalf("%d directories synced, want 8:\n%s", n, script.TraceString())
	}
	for q := range s.All() {
		wantUnits(t, q)
	}
	noErr(t, s.DeleteTopic("topic0"))
	noErr(t, ensure(t, s, "topic0", 1, cq.Simple).Append(entries(0, 1)))
}

func TestCreateMkdirErrors(t *testing.T) {
	for k := 1; k <= 4; k++ {
		n, denied := 0, errors.New("denied")
		o := machineOptions(t, mkdirFS{FS: mapped.OS(), fail: func(name string) error {
			if n++; n == k {
				return &fs.PathError{Op: "mkdir", Path: name, Err: denied}
			}
			return nil
		}})
		q := ensure(t, open(t, o), "topic", 0, cq.Simple)
		if err := q.Append(entries(0, 1)); err != nil && !errors.Is(err, denied) {
			t.Fatalf("mkdir %d: %v", k, err)
		}
		noErr(t, q.Append(entries(0, 2)))
		wantRange(t, q, 0, 2)
	}
}
