package checkpoint_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestDisownPastABadSlot: a slot that cannot be read, or written, keeps no other one its
// mount, the newest mark being the one that counts; and the error names the file.
func TestDisownPastABadSlot(t *testing.T) {
	for _, op := range []mappedtest.Op{mappedtest.OpRead, mappedtest.OpWrite} {
		fsys, l := owned(t)
		err := checkpoint.DisownMount(mappedtest.NewScript(fsys, mappedtest.Rule{Op: op, Err: errInjected}), l)
		if !errors.Is(err, errInjected) || !strings.Contains(err.Error(), l.MarkFile()) {
			t.Errorf("%v: got error %v", op, err)
		}
		if got := mounts(t, fsys, l); got != [2]uint32{0, 7} {
			t.Errorf("%v: mounts %v, newest first", op, got)
		}
	}
	fsys, l := owned(t)
	must(t, mappedtest.WriteFile(fsys, l.MarkFile(), []byte("short")))
	if err := checkpoint.DisownMount(fsys, l); err == nil || !strings.Contains(err.Error(), l.MarkFile()) {
		t.Errorf("a short file: %v", err)
	}
}
