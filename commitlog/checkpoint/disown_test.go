package checkpoint_test

import (
	"errors"
	"io"
	"os"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// owned is a store with two marks of a mount.
func owned(t *testing.T) (mapped.FS, checkpoint.Layout) {
	t.Helper()
	fsys, l := mappedtest.NewFS(), checkpoint.NewLayout("/store", "")
	must(t, fsys.MkdirAll("/store"))
	must(t, checkpoint.Prepare(fsys, l))
	for _, end := range []int64{100, 200} {
		must(t, checkpoint.WriteMark(fsys, l, checkpoint.Mark{FlushedEnd: end, LastRecordStart: end - 1, Fields: example.Digest(), Mounted: 7}))
	}
	return fsys, l
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mounts reads the marks, which say the same of the log as before, newest first.
func mounts(t *testing.T, fsys mapped.FS, l checkpoint.Layout) (mounts [2]uint32) {
	t.Helper()
	marks, err := checkpoint.ReadMarks(fsys, l)
	if err != nil || len(marks) != 2 || marks[0].FlushedEnd != 200 || marks[1].FlushedEnd != 100 || marks[0].Fields != example.Digest() {
		t.Fatalf("marks %+v, %v", marks, err)
	}
	must(t, checkpoint.CheckMark(fsys, l))
	return [2]uint32{marks[0].Mounted, marks[1].Mounted}
}

// TestDisownMount takes the mount out of both marks and nothing else; a call that
// fails is reported, and costs no mark.
func TestDisownMount(t *testing.T) {
	fsys, l := owned(t)
	if got := mounts(t, fsys, l); got != [2]uint32{7, 7} {
		t.Fatalf("mounts %v", got)
	}
	for range 2 { // once more changes nothing
		must(t, checkpoint.DisownMount(fsys, l))
		if got := mounts(t, fsys, l); got != [2]uint32{} {
			t.Errorf("mounts %v", got)
		}
	}
	sweep(t, owned, checkpoint.DisownMount, func(t *testing.T, fsys mapped.FS, l checkpoint.Layout) {
		mounts(t, fsys, l)
		must(t, checkpoint.DisownMount(fsys, l))
		if got := mounts(t, fsys, l); got != [2]uint32{} {
			t.Errorf("mounts %v", got)
		}
	})
}

// TestDisownNothing: where no mark is there is none to disown; what is no mark file
// is an error and stays as it is.
func TestDisownNothing(t *testing.T) {
	fsys, l := owned(t)
	must(t, fsys.Remove(l.MarkFile()))
	must(t, checkpoint.DisownMount(fsys, l))
	if _, err := fsys.Stat(l.MarkFile()); !os.IsNotExist(err) {
		t.Errorf("a mark file was made: %v", err)
	}
	must(t, mappedtest.WriteFile(fsys, l.MarkFile(), []byte("short")))
	if err := checkpoint.DisownMount(fsys, l); !errors.Is(err, io.EOF) {
		t.Errorf("a short file: %v", err)
	}
	if b, err := mappedtest.ReadFile(fsys, l.MarkFile()); string(b) != "short" || err != nil {
		t.Errorf("now %q %v", b, err)
	}
}
