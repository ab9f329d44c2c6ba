package progress_test

import (
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestMarkWrittenWhileAFlushFails: a flush failed between the look whether one has and
// the write of the mark, which named the mount again that had just been disowned. Pages
// that the system drops after a failed flush pass for damage then.
func TestMarkWrittenWhileAFlushFails(t *testing.T) {
	for _, failing := range []error{nil, eio} { // and of the mark's own sync
		b := begin(t)
		b.put(5)
		b.flush()
		noErr(t, b.pass())
		if m, counts := b.mark(); m.Mounted == 0 || !counts {
			t.Fatalf("mark %+v, counts %t", m, counts)
		}
		b.put(5)
		b.flush()
		b.script.Add(
			mappedtest.Rule{Op: mappedtest.OpWrite, Path: b.layout.MarkFile(), Before: func() {
				b.log.Fail(eio)
				noErr(t, checkpoint.DisownMount(b.disk, b.layout))
			}},
			mappedtest.Rule{Op: mappedtest.OpDatasync, Path: b.layout.MarkFile(), Err: failing},
			mappedtest.Rule{Op: mappedtest.OpSync, Path: b.layout.MarkFile(), Err: failing})
		if err := b.pass(); (err == nil) != (failing == nil) {
			t.Fatal(err)
		}
		marks, err := checkpoint.ReadMarks(b.disk, b.layout)
		noErr(t, err)
		for _, m := range marks {
			if m.Mounted != 0 {
				t.Errorf("a mark names a mount: %+v", m)
			}
		}
		if len(marks) != 2 {
			t.Error(marks)
		}
	}
}
