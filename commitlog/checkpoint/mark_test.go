package checkpoint_test

import (
	"encoding/hex"
	"errors"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

func writeMark(t *testing.T, fsys mapped.FS, l checkpoint.Layout, end int64) {
	t.Helper()
	err := checkpoint.WriteMark(fsys, l, checkpoint.Mark{FlushedEnd: end, LastRecordStart: end - 1,
		LastRecordCRC: uint32(end), Fields: example.Digest()})
	if err != nil {
		t.Fatal(err)
	}
}

// Both computed by another program: FNV-128a of exampleHex, CRC-32 of the slot.
const (
	goldenDigest  = "096c6582ccbb2a5331f962646f2f21df"
	goldenMarkCRC = "957530a3"
)

func TestMarkGolden(t *testing.T) {
	fsys, l := newStore(t)
	m := checkpoint.Mark{FlushedEnd: 0x1000, LastRecordStart: 0xf3c, LastRecordCRC: 0x7ace4d42, Fields: example.Digest()}
	if err := checkpoint.WriteMark(fsys, l, m); err != nil {
		t.Fatal(err)
	}
	const want = "41534d41524b0001" + "0000000000000001" + "0000000000001000" + "0000000000000f3c" +
		"7ace4d42" + "00000000" + goldenDigest + "00000000" + goldenMarkCRC
	got := get(t, l.MarkFile())
	if len(got) != 1024 || hex.EncodeToString([]byte(got[:64])) != want || strings.Trim(got[64:], "\x00") != "" {
		t.Errorf("%d bytes, slot %x", len(got), got[:64])
	}
	read, found, err := checkpoint.ReadMark(fsys, l)
	m.Sequence = 1
	if err != nil || !found || read != m {
		t.Errorf("got %+v %v %v", read, found, err)
	}
}

func TestMarkMissing(t *testing.T) {
	fsys, l := newStore(t)
	if m, found, err := checkpoint.ReadMark(fsys, l); found || err != nil {
		t.Errorf("got %+v %v %v", m, found, err)
	}
	if tree(t, l.Root) != "." {
		t.Error("reading created something")
	}
}

func TestMarkAlternates(t *testing.T) {
	fsys, l := newStore(t)
	for i := int64(1); i <= 6; i++ {
		before, _ := os.ReadFile(l.MarkFile())
		writeMark(t, fsys, l, 100*i)
		marks, err := checkpoint.ReadMarks(fsys, l)
		if err != nil || marks[0].Sequence != i || marks[0].FlushedEnd != 100*i {
			t.Fatalf("%d: %+v %v", i, marks, err)
		}
		if i == 1 {
			continue
		}
		if len(marks) != 2 || marks[1].Sequence != i-1 {
			t.Errorf("%d: older mark: %+v", i, marks)
		}
		// Exactly one of the two sectors changed.
		after := []byte(get(t, l.MarkFile()))
		if (string(before[:512]) == string(after[:512])) == (string(before[512:]) == string(after[512:])) {
			t.Errorf("%d: both or no sector changed", i)
		}
	}
}

// Whatever part of the new slot reaches the disk, the newest whole mark is the
// old one or the new one.
func TestMarkSurvivesATornWrite(t *testing.T) {
	fsys, l := newStore(t)
	writeMark(t, fsys, l, 100)
	writeMark(t, fsys, l, 200)
	before := []byte(get(t, l.MarkFile()))
	writeMark(t, fsys, l, 300)
	after := []byte(get(t, l.MarkFile()))
	rapid.Check(t, func(r *rapid.T) {
		image := append([]byte(nil), before...)
		for i := range image {
			if before[i] != after[i] && rapid.Bool().Draw(r, "new") {
				image[i] = after[i]
			}
		}
		if err := os.WriteFile(l.MarkFile(), image, 0o644); err != nil {
			r.Fatal(err)
		}
		m, found, err := checkpoint.ReadMark(fsys, l)
		if err != nil || !found || (m.FlushedEnd != 200 && string(image) != string(after)) {
			r.Fatalf("got %+v %v %v", m, found, err)
		}
	})
}

func TestMarkDamaged(t *testing.T) {
	fsys, l := newStore(t)
	writeMark(t, fsys, l, 100)
	writeMark(t, fsys, l, 200)
	whole := []byte(get(t, l.MarkFile()))
	for i := range 64 {
		image := append([]byte(nil), whole...)
		image[512+i] ^= 0x10
		put(t, l.MarkFile(), string(image))
		if m, found, err := checkpoint.ReadMark(fsys, l); err != nil || !found || m.FlushedEnd != 100 {
			t.Fatalf("byte %d: got %+v %v %v", i, m, found, err)
		}
		// The next mark goes over the damaged slot, not over the whole one.
		writeMark(t, fsys, l, 300)
		marks, err := checkpoint.ReadMarks(fsys, l)
		if err != nil || len(marks) != 2 || marks[0].FlushedEnd != 300 || marks[1].FlushedEnd != 100 {
			t.Fatalf("byte %d: got %+v %v", i, marks, err)
		}
	}
	for _, content := range []string{"", strings.Repeat("\x00", 1024), string(whole[:1023])} {
		put(t, l.MarkFile(), content)
		_, found, err := checkpoint.ReadMark(fsys, l)
		var corrupt *record.CorruptionError
		if found || !errors.As(err, &corrupt) || corrupt.Path != l.MarkFile() {
			t.Errorf("%d bytes: got %v %v", len(content), found, err)
		}
		writeMark(t, fsys, l, 400)
		if m, found, err := checkpoint.ReadMark(fsys, l); err != nil || !found || m.Sequence != 1 || m.FlushedEnd != 400 {
			t.Errorf("%d bytes: got %+v %v %v", len(content), m, found, err)
		}
	}
}

func TestMarkMatches(t *testing.T) {
	m := checkpoint.Mark{Fields: example.Digest()}
	if !m.Matches(example) {
		t.Error("its own checkpoint does not match")
	}
	for i, change := range []func(*checkpoint.Checkpoint){
		func(c *checkpoint.Checkpoint) { c.PhysicMsgTimestamp++ },
		func(c *checkpoint.Checkpoint) { c.LogicsMsgTimestamp++ },
		func(c *checkpoint.Checkpoint) { c.IndexMsgTimestamp++ },
		func(c *checkpoint.Checkpoint) { c.MasterFlushedOffset++ },
		func(c *checkpoint.Checkpoint) { c.ConfirmPhyOffset++ },
		func(c *checkpoint.Checkpoint) { c.LogicsPhysicalOffset++ },
		func(c *checkpoint.Checkpoint) {
			c.PhysicMsgTimestamp, c.LogicsMsgTimestamp = c.LogicsMsgTimestamp, c.PhysicMsgTimestamp
		},
	} {
		c := example
		change(&c)
		if m.Matches(c) {
			t.Errorf("change %d still matches", i)
		}
	}
}

// A crash between mark and checkpoint leaves a mark that matches.
func TestOlderMarkMatchesOlderFields(t *testing.T) {
	fsys, l := newStore(t)
	old, changed := example, example
	changed.LogicsPhysicalOffset += 1000
	for _, c := range []checkpoint.Checkpoint{old, changed} {
		if err := checkpoint.WriteMark(fsys, l, checkpoint.Mark{FlushedEnd: c.LogicsPhysicalOffset, LastRecordStart: -1, Fields: c.Digest()}); err != nil {
			t.Fatal(err)
		}
	}
	marks, err := checkpoint.ReadMarks(fsys, l)
	if err != nil || len(marks) != 2 || marks[0].Matches(old) || !marks[1].Matches(old) {
		t.Errorf("got %+v %v", marks, err)
	}
}

func TestMarkRefusesNonsense(t *testing.T) {
	fsys, l := newStore(t)
	for _, m := range []checkpoint.Mark{
		{FlushedEnd: -1, LastRecordStart: -1},
		{FlushedEnd: 10, LastRecordStart: 10},
		{FlushedEnd: 10, LastRecordStart: -2},
		{FlushedEnd: 0, LastRecordStart: 0},
	} {
		if err := checkpoint.WriteMark(fsys, l, m); err == nil {
			t.Errorf("%+v accepted", m)
		}
	}
	if tree(t, l.Root) != "." {
		t.Error("bad input changed something")
	}
}

func TestMarkFaults(t *testing.T) {
	write := func(f mapped.FS, l checkpoint.Layout) error {
		return checkpoint.WriteMark(f, l, checkpoint.Mark{FlushedEnd: 300, LastRecordStart: 10})
	}
	sweep(t, newStore, write, func(t *testing.T, fsys mapped.FS, l checkpoint.Layout) {
		if m, found, err := checkpoint.ReadMark(fsys, l); err != nil || (found && m.FlushedEnd != 300) {
			t.Errorf("got %+v %v %v", m, found, err)
		}
	})
	existing := func(t *testing.T) (mapped.FS, checkpoint.Layout) {
		fsys, l := newStore(t)
		writeMark(t, fsys, l, 100)
		writeMark(t, fsys, l, 200)
		return fsys, l
	}
	sweep(t, existing, write, func(t *testing.T, fsys mapped.FS, l checkpoint.Layout) {
		marks, err := checkpoint.ReadMarks(fsys, l)
		if err != nil || len(marks) != 2 || (marks[0].FlushedEnd != 200 && marks[1].FlushedEnd != 200) {
			t.Errorf("the newest mark is gone: %+v %v", marks, err)
		}
	})
	sweep(t, existing, func(f mapped.FS, l checkpoint.Layout) error {
		_, _, err := checkpoint.ReadMark(f, l)
		return err
	}, func(*testing.T, mapped.FS, checkpoint.Layout) {})
}

// TestRenewMark: after a mark that failed in whatever way, the next one stands in
// a new file beside the one that the checkpoint on disk matches.
func TestRenewMark(t *testing.T) {
	fsys, l := newStore(t)
	next := example
	next.PhysicMsgTimestamp++
	renewed := checkpoint.Mark{FlushedEnd: 300, LastRecordStart: 200, Fields: next.Digest()}
	renew := func(wantSequence int64, want ...int64) {
		t.Helper()
		if err := checkpoint.RenewMark(fsys, l, renewed, example); err != nil {
			t.Fatal(err)
		}
		marks, err := checkpoint.ReadMarks(fsys, l)
		if err != nil || len(marks) != len(want) || marks[0].Sequence != wantSequence {
			t.Fatalf("got %+v %v", marks, err)
		}
		for i, end := range want {
			if marks[i].FlushedEnd != end {
				t.Errorf("mark %d ends at %d, want %d", i, marks[i].FlushedEnd, end)
			}
		}
	}
	renew(1, 300) // no file
	writeMark(t, fsys, l, 100)
	writeMark(t, fsys, l, 110)
	renew(4, 300, 110)
	f, err := fsys.OpenFile(l.MarkFile(), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt([]byte("torn"), 512+20); err != nil { // the failed one
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	renew(4, 300, 110)
	if err := os.Truncate(l.MarkFile(), 7); err != nil {
		t.Fatal(err)
	}
	renew(1, 300)
	if err := checkpoint.RenewMark(fsys, l, checkpoint.Mark{FlushedEnd: -1}, example); err == nil {
		t.Error("a mark without sense is written")
	}
}

// TestMarkMode: the flush mode is part of the mark and costs the older form
// nothing.
func TestMarkMode(t *testing.T) {
	fsys, l := newStore(t)
	for _, sync := range []bool{true, false, true} {
		m := checkpoint.Mark{FlushedEnd: 500, LastRecordStart: 400, LastRecordCRC: 7, Sync: sync, Fields: example.Digest()}
		if err := checkpoint.WriteMark(fsys, l, m); err != nil {
			t.Fatal(err)
		}
		read, found, err := checkpoint.ReadMark(fsys, l)
		m.Sequence = read.Sequence
		if err != nil || !found || read != m {
			t.Errorf("got %+v %v %v, want %+v", read, found, err, m)
		}
	}
}
