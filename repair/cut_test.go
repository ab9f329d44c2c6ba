package repair_test

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

var full = flag.Bool("full", false, "stop repair at every single call")

// hurtAll is a store with something wrong in every part: segments that changed
// places, a short one, a long one, one that is damaged inside, strays, queue files
// and units, an index file, the mark's other slot, and an unclean stop or not.
func hurtAll(t *testing.T, clean bool) *mappedtest.FS {
	t.Helper()
	fsys := closed(t)
	segments := names(t, fsys, "commitlog")
	flip := func(path string, at int) {
		b := load(t, fsys, path)
		b[at] ^= 8
		save(t, fsys, path, b)
	}
	flip(segments[4], 1000)
	save(t, fsys, segments[3], load(t, fsys, segments[3])[:3000])
	save(t, fsys, segments[5], append(load(t, fsys, segments[5]), "surplus"...))
	a, b := load(t, fsys, segments[0]), load(t, fsys, segments[2])
	save(t, fsys, segments[0], b)
	save(t, fsys, segments[2], a)
	for _, dir := range []string{"commitlog", "index", "consumequeue", "consumequeue/plain/0"} {
		save(t, fsys, root+"/"+dir+"/stray.txt", []byte("stray"))
	}
	queues := names(t, fsys, "consumequeue/plain/0")
	flip(queues[0], 27)
	save(t, fsys, queues[2], load(t, fsys, queues[2])[:40])
	flip(names(t, fsys, "index")[1], 43)
	flip(names(t, fsys, "batchconsumequeue/inner/0")[0], 51)
	must(t, fsys.Remove(names(t, fsys, "consumequeue/other/0")[1]))
	if !clean {
		save(t, fsys, root+"/abort", []byte("1"))
	}
	return fsys
}

// outcome is what a repaired store says and holds.
func outcome(t *testing.T, fsys mapped.FS) string {
	t.Helper()
	var out strings.Builder
	for _, f := range verify(t, fsys) {
		fmt.Fprintln(&out, f)
	}
	for _, s := range plan(t, fsys).Steps {
		fmt.Fprintln(&out, "to do:", s)
	}
	s, err := actorstore.Open(t.Context(), options(fsys))
	must(t, err)
	good, bad := read(t, s)
	keyed(t, s, good)
	must(t, s.Close(context.Background()))
	for i := range messages {
		for _, topic := range []string{"plain", "other", "inner"} {
			name := fmt.Sprintf("%s-%d", topic, i)
			fmt.Fprintln(&out, name, good[name], bad[name])
		}
	}
	return out.String()
}

// TestCutAnywhere stops repair in front of every call of the file system, by a
// kill and by a power cut, and repairs again: the end is the same.
func TestCutAnywhere(t *testing.T) {
	for _, clean := range []bool{true, false} {
		base := hurtAll(t, clean)
		o := options(nil)
		count := mappedtest.NewScript(base.Kill())
		o.FS = count
		r, err := actorstore.Repair(t.Context(), o, actorstore.RepairOptions{})
		must(t, err)
		calls := count.Calls()
		want := outcome(t, count)
		if strings.Contains(want, "to do") || len(r.Left) == 0 || len(r.Kept) < 8 {
			t.Fatalf("%s\n%v\n%v", want, r.Left, r.Kept)
		}
		step := 1
		if !*full {
			step = max(calls/24, 1)
		}
		for k := 1; k <= calls; k += step {
			image := base.Kill()
			o.FS = mappedtest.NewScript(image, mappedtest.Rule{At: k, Forever: true, Err: syscall.EIO})
			_, _ = actorstore.Repair(t.Context(), o, actorstore.RepairOptions{})
			for _, next := range []*mappedtest.FS{image.Kill(), image.Crash(uint64(k), mappedtest.Random)} {
				if _, err := actorstore.Repair(t.Context(), options(next), actorstore.RepairOptions{}); err != nil {
					t.Fatalf("stopped at call %d of %d: %v", k, calls, err)
				}
				if got := outcome(t, next); got != want {
					t.Fatalf("stopped at call %d of %d: %s", k, calls, differ(want, got))
				}
			}
		}
	}
}

// differ lists the lines that are in one of two texts only.
func differ(want, got string) string {
	lines := map[string]int{}
	for l := range strings.Lines(want) {
		lines["- "+l]++
	}
	for l := range strings.Lines(got) {
		if lines["- "+l] > 0 {
			lines["- "+l]--
		} else {
			lines["+ "+l]++
		}
	}
	maps.DeleteFunc(lines, func(_ string, n int) bool { return n == 0 })
	return fmt.Sprint(lines)
}
