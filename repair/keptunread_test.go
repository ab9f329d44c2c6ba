package repair_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// aside counts what is kept, by its bytes.
func aside(t *testing.T, fsys *mappedtest.FS) map[string]int {
	t.Helper()
	kept := map[string]int{}
	for path, b := range files(t, fsys) {
		if strings.Contains(path, "/aside/") && b != "directory" {
			kept[b]++
		}
	}
	return kept
}

// TestKeptUnread: a call of the file system fails for once, and repair is done all the
// same, at once or run again. What it has written over is kept: a batch queue whose
// directory could not be listed was rewritten without a copy, and so was a checkpoint
// of which it could not be told whether it is there.
func TestKeptUnread(t *testing.T) {
	keptUnread(t, hurtSmall(t))
	base := closed(t)
	unit := names(t, base, "batchconsumequeue/inner/0")[1]
	b := load(t, base, unit)
	b[19] ^= 4 // its tags code
	save(t, base, unit, b)
	keptUnread(t, base)
}

func keptUnread(t *testing.T, base *mappedtest.FS) {
	t.Helper()
	fix := func(fsys mapped.FS) error {
		_, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{SkipDamaged: true})
		return err
	}
	whole := base.Kill()
	must(t, fix(whole))
	want, before := aside(t, whole), files(t, base)
	for _, rule := range []mappedtest.Rule{
		{Op: mappedtest.OpReadDir, Path: root + "/batchconsumequeue/inner/0", Err: syscall.EIO},
		{Op: mappedtest.OpStat, Path: root + "/checkpoint", Err: syscall.EIO},
		{Op: mappedtest.OpStat, Path: root + "/actorstore/queues", Err: syscall.EIO},
	} {
		for rule.At = 1; ; rule.At++ {
			image := base.Kill()
			script := mappedtest.NewScript(image, rule)
			err := fix(script)
			call, failed := script.Failed()
			if !failed {
				break
			}
			if err != nil {
				must(t, fix(image))
			}
			got := aside(t, image)
			for path, b := range before {
				if want[b] > 0 && got[b] == 0 && b != "directory" {
					t.Errorf("%v: %s is not kept", call, path)
				}
			}
		}
	}
}
