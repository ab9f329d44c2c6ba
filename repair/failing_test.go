package repair_test

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/repair"
)

// hurtSlot is a store where one slot of the mark is torn, and the last segment has
// changed places with an unused one.
func hurtSlot(t *testing.T) *mappedtest.FS {
	t.Helper()
	fsys := closed(t)
	b := load(t, fsys, root+"/actorstore/mark")
	b[20] ^= 8 // of the older one
	save(t, fsys, root+"/actorstore/mark", b)
	segments := names(t, fsys, "commitlog")
	last, unused := segments[len(segments)-1], fmt.Sprintf("%s/commitlog/%020d", root, len(segments)*segmentSize)
	save(t, fsys, unused, load(t, fsys, last))
	save(t, fsys, last, make([]byte, segmentSize))
	return fsys
}

// hurtSmall is a store whose small files are damaged and whose log lacks its end.
func hurtSmall(t *testing.T) *mappedtest.FS {
	t.Helper()
	fsys := closed(t)
	segments := names(t, fsys, "commitlog")
	for _, path := range segments[len(segments)-3:] {
		must(t, fsys.Remove(path))
	}
	for _, path := range []string{"/checkpoint", "/actorstore/queues"} {
		b := load(t, fsys, root+path)
		b[len(b)/3] ^= 8
		save(t, fsys, root+path, b)
	}
	b := load(t, fsys, root+"/actorstore/mark")
	save(t, fsys, root+"/actorstore/mark", b[:len(b)-1])
	must(t, fsys.MkdirAll(root+"/actorstore/aside/commitlog"))
	save(t, fsys, root+"/actorstore/aside/commitlog/stray.txt", []byte("of an earlier run"))
	save(t, fsys, root+"/commitlog/stray.txt", []byte("stray"))
	return fsys
}

// TestOneCallFails: a call of the file system fails, and those behind it go through.
// Repair says so, or has done its work all the same; run again it ends as if nothing
// had failed.
func TestOneCallFails(t *testing.T) {
	for name, base := range map[string]*mappedtest.FS{"everywhere": hurtAll(t, false), "small files": hurtSmall(t), "slot": hurtSlot(t)} {
		t.Run(name, func(t *testing.T) {
			fix := func(fsys mapped.FS) (repair.Report, error) {
				return actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{SkipDamaged: true})
			}
			whole := base.Kill()
			_, err := fix(whole)
			must(t, err)
			want := outcome(t, whole)
			met := 0
			for image, script := range mappedtest.EachPlace(base, stride(), syscall.EIO) {
				r, err := fix(script)
				call, failed := script.Failed()
				if failed {
					met++
				}
				switch {
				case err == nil && !r.Done:
					t.Errorf("%v: neither done nor failed", call)
				case err == nil:
					if got := outcome(t, image.Kill()); got != want {
						t.Errorf("%v: done, but %s", call, differ(want, got))
					}
				case !strings.Contains(err.Error(), "/store"):
					t.Errorf("%v: the error names no file: %v", call, err)
				}
				if _, err := fix(image); err != nil {
					t.Errorf("%v: again: %v", call, err)
				} else if got := outcome(t, image); got != want {
					t.Errorf("%v: again: %s", call, differ(want, got))
				}
			}
			if met < 200/stride() {
				t.Errorf("%d calls failed", met)
			}
		})
	}
}

func stride() int {
	if *full {
		return 1
	}
	return 3
}
