package checkpoint_test

import (
	"encoding/hex"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/commitlog/record"
)

func base(p string) string { return filepath.Base(p) }

// example is a page that RocketMQ wrote.
var example = checkpoint.Checkpoint{
	PhysicMsgTimestamp: 1700000000123, LogicsMsgTimestamp: 1700000000100, IndexMsgTimestamp: 1699999990000,
	ConfirmPhyOffset: 4096, LogicsPhysicalOffset: 3900,
}

const exampleHex = "0000018bcfe5687b" + "0000018bcfe56864" + "0000018bcfe540f0" +
	"0000000000000000" + "0000000000001000" + "0000000000000f3c"

func TestCheckpointGolden(t *testing.T) {
	fsys, l := newStore(t)
	head, _ := hex.DecodeString(exampleHex)
	page := string(head) + strings.Repeat("\x00", 4096-48)
	put(t, l.CheckpointFile(), page)
	got, found, err := checkpoint.ReadCheckpoint(fsys, l.CheckpointFile())
	if err != nil || !found || got != example {
		t.Fatalf("got %+v %v %v", got, found, err)
	}
	fsys, l = newStore(t)
	if err := checkpoint.WriteCheckpoint(fsys, l.CheckpointFile(), example); err != nil {
		t.Fatal(err)
	}
	if get(t, l.CheckpointFile()) != page {
		t.Error("written page differs")
	}
	if got := tree(t, l.Root); got != ". actorstore actorstore/tmp checkpoint" {
		t.Errorf("tree: %s", got)
	}
}

func TestCheckpointFieldsRoundTrip(t *testing.T) {
	fsys, l := newStore(t)
	for i, c := range []checkpoint.Checkpoint{
		{MasterFlushedOffset: 7}, {PhysicMsgTimestamp: -1}, example,
		{1, 2, 3, 4, 5, 6}, {},
	} {
		if err := checkpoint.WriteCheckpoint(fsys, l.CheckpointFile(), c); err != nil {
			t.Fatal(err)
		}
		if got, found, err := checkpoint.ReadCheckpoint(fsys, l.CheckpointFile()); got != c || !found || err != nil {
			t.Errorf("%d: got %+v %v %v", i, got, found, err)
		}
	}
}

func TestCheckpointIsWrittenInPlace(t *testing.T) {
	fsys, l := newStore(t)
	put(t, l.CheckpointFile(), strings.Repeat("x", 5000))
	f := mappedtest.NewScript(fsys)
	if err := checkpoint.WriteCheckpoint(f, l.CheckpointFile(), example); err != nil {
		t.Fatal(err)
	}
	want := "stat checkpoint,open checkpoint,write checkpoint,datasync checkpoint"
	if got := strings.Join(trace(f), ","); got != want {
		t.Errorf("trace %s, want %s", got, want)
	}
	if got := get(t, l.CheckpointFile()); got[48:] != strings.Repeat("x", 5000-48) {
		t.Error("bytes behind the fields changed")
	}
}

func TestCheckpointMissingAndShort(t *testing.T) {
	fsys, l := newStore(t)
	if c, found, err := checkpoint.ReadCheckpoint(fsys, l.CheckpointFile()); c != (checkpoint.Checkpoint{}) || found || err != nil {
		t.Errorf("missing: %+v %v %v", c, found, err)
	}
	for _, n := range []int{0, 1, 48, 4095} {
		put(t, l.CheckpointFile(), strings.Repeat("x", n))
		c, found, err := checkpoint.ReadCheckpoint(fsys, l.CheckpointFile())
		var corrupt *record.CorruptionError
		if !errors.As(err, &corrupt) || corrupt.Path != l.CheckpointFile() || !found || c != (checkpoint.Checkpoint{}) {
			t.Errorf("%d bytes: %+v %v %v", n, c, found, err)
		}
		if err := checkpoint.WriteCheckpoint(fsys, l.CheckpointFile(), example); err != nil {
			t.Fatal(err)
		}
		if got := len(get(t, l.CheckpointFile())); got != checkpoint.Size {
			t.Errorf("%d bytes became %d", n, got)
		}
	}
}

func TestCheckpointFaults(t *testing.T) {
	write := func(f mapped.FS, l checkpoint.Layout) error {
		return checkpoint.WriteCheckpoint(f, l.CheckpointFile(), example)
	}
	sweep(t, newStore, write, func(t *testing.T, fsys mapped.FS, l checkpoint.Layout) {
		// New or nothing, never a part.
		c, found, err := checkpoint.ReadCheckpoint(fsys, l.CheckpointFile())
		if err != nil || (found && c != example) {
			t.Errorf("got %+v %v %v", c, found, err)
		}
	})
	existing := func(t *testing.T) (mapped.FS, checkpoint.Layout) {
		fsys, l := newStore(t)
		put(t, l.CheckpointFile(), strings.Repeat("\x00", checkpoint.Size))
		return fsys, l
	}
	sweep(t, existing, write, func(*testing.T, mapped.FS, checkpoint.Layout) {})
	sweep(t, existing, func(f mapped.FS, l checkpoint.Layout) error {
		_, _, err := checkpoint.ReadCheckpoint(f, l.CheckpointFile())
		return err
	}, func(*testing.T, mapped.FS, checkpoint.Layout) {})
}
