package repair_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestOpenBehindARepairThatWasCut: a store was opened while a segment waited in
// aside for its place; its log ended in front of that segment, and went on there.
func TestOpenBehindARepairThatWasCut(t *testing.T) {
	base := closed(t)
	s := names(t, base, "commitlog")
	a, b := load(t, base, s[len(s)-2]), load(t, base, s[len(s)-1])
	save(t, base, s[len(s)-2], b)
	save(t, base, s[len(s)-1], a)
	o := options(base)
	o.FS = mappedtest.NewScript(base, mappedtest.Rule{Op: mappedtest.OpRename, Path: "*belongs-at*", At: 2, Forever: true, Err: syscall.EIO})
	if _, err := actorstore.Repair(t.Context(), o, actorstore.RepairOptions{}); !errors.Is(err, syscall.EIO) {
		t.Fatalf("repair was to be cut: %v", err)
	}
	before := files(t, base)
	var ce *actorstore.CorruptionError
	if _, err := actorstore.Open(t.Context(), options(base)); !errors.As(err, &ce) || !strings.Contains(ce.Path, "belongs-at") {
		t.Errorf("opened, or refused for another reason: %v", err)
	}
	if path := same(before, files(t, base)); path != "" {
		t.Errorf("opening has changed %s", path)
	}
	_, err := actorstore.Repair(t.Context(), options(base), actorstore.RepairOptions{})
	must(t, err)
	if good, bad := readOpen(t, base); len(good) < 3*messages-messages || len(bad) > 0 {
		t.Errorf("%d messages, %d damaged", len(good), len(bad))
	}
}

func readOpen(t *testing.T, fsys *mappedtest.FS) (good, bad map[string]bool) {
	s, err := actorstore.Open(t.Context(), options(fsys))
	must(t, err)
	defer func() { must(t, s.Close(context.Background())) }()
	return read(t, s)
}

// TestCutWhileLastSegmentsChangePlaces: of two segments that had changed places one
// waited in aside when repair was cut. The last one was then taken to be in its own
// place, so was an unused one, and what waited was never missed: its records were
// out of the log for good.
func TestCutWhileLastSegmentsChangePlaces(t *testing.T) {
	for _, name := range []string{"both in use", "one unused", "three in a circle"} {
		t.Run(name, func(t *testing.T) {
			unused := name == "one unused"
			base := closed(t)
			s := names(t, base, "commitlog")
			i, j := s[len(s)-2], s[len(s)-1]
			if unused {
				i, j = j, fmt.Sprintf("%s/commitlog/%020d", root, len(s)*segmentSize)
				save(t, base, j, make([]byte, segmentSize))
				must(t, base.SyncDir(root+"/commitlog"))
			}
			a, b := load(t, base, i), load(t, base, j)
			save(t, base, i, b)
			save(t, base, j, a)
			if name == "three in a circle" {
				c := load(t, base, s[len(s)-3])
				save(t, base, s[len(s)-3], a)
				save(t, base, j, c)
			}
			o := options(nil)
			script := mappedtest.NewScript(base.Kill())
			o.FS = script
			_, err := actorstore.Repair(t.Context(), o, actorstore.RepairOptions{})
			must(t, err)
			var moves []int // the calls that move a segment, and those behind them
			for _, c := range script.Trace() {
				if c.Op == mappedtest.OpRename && strings.Contains(c.Path, "commitlog") {
					moves = append(moves, c.N, c.N+1, c.N+2)
				}
			}
			if len(moves) < 3*3 {
				t.Fatalf("calls that move a segment: %v", moves)
			}
			want := outcome(t, script)
			for _, k := range moves {
				image := base.Kill()
				o.FS = mappedtest.NewScript(image, mappedtest.Rule{At: k, Forever: true, Err: syscall.EIO})
				_, _ = actorstore.Repair(t.Context(), o, actorstore.RepairOptions{})
				for how, next := range map[string]*mappedtest.FS{"kill": image.Kill(), "power cut": image.Crash(uint64(k), mappedtest.Random)} {
					if _, err := actorstore.Repair(t.Context(), options(next), actorstore.RepairOptions{}); err != nil {
						t.Fatalf("%s at call %d: %v", how, k, err)
					}
					if got := outcome(t, next); got != want {
						t.Fatalf("%s at call %d: %s", how, k, differ(want, got))
					}
				}
			}
		})
	}
}
