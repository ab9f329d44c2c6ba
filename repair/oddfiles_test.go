package repair_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestOddFiles: a file whose name does not fit its directory is moved or gets the
// name of its contents, and costs nothing; what is no file is left alone.
func TestOddFiles(t *testing.T) {
	segments := root + "/commitlog/"
	queue := root + "/consumequeue/plain/0/"
	copied := func(from, to string) func(*testing.T, *mappedtest.FS) {
		return func(t *testing.T, fsys *mappedtest.FS) { save(t, fsys, to, load(t, fsys, from)) }
	}
	renamed := func(from, to string) func(*testing.T, *mappedtest.FS) {
		return func(t *testing.T, fsys *mappedtest.FS) { must(t, fsys.Rename(from, to)) }
	}
	directory := func(path string) func(*testing.T, *mappedtest.FS) {
		return func(t *testing.T, fsys *mappedtest.FS) { must(t, fsys.MkdirAll(path)) }
	}
	for _, c := range []struct {
		name string
		do   func(*testing.T, *mappedtest.FS)
		step string // how it begins, "" if there is none
		want string // and the reason that it gives
	}{
		{"one segment under two names", copied(segments+mapped.Name(segmentSize), segments+"4096"),
			"move aside: commitlog: " + segments + "4096", "one file for each offset"},
		{"a segment under a name that none has", renamed(segments+mapped.Name(segmentSize), segments+mapped.Name(segmentSize+1)),
			"rename: commitlog: " + segments + mapped.Name(segmentSize+1), "a name that is a multiple of 4096"},
		{"a copy under a name that none has", copied(segments+mapped.Name(segmentSize), segments+mapped.Name(segmentSize+1)),
			"move aside: commitlog: " + segments + mapped.Name(segmentSize+1), "a name that is a multiple of 4096"},
		{"a queue file under a name that none has", copied(queue+mapped.Name(0), queue+mapped.Name(7*queueSize+1)),
			"move aside: consumequeue: " + queue + mapped.Name(7*queueSize+1), "a name that is a multiple of 200"},
		{"a directory of segments", directory(segments + mapped.Name(99*segmentSize)), "", ""},
		{"a directory in a queue", directory(queue + mapped.Name(99*queueSize)), "", ""},
		{"a directory that is no queue", directory(root + "/consumequeue/plain/007"), "", ""},
		{"a segment kept by an earlier run", copied(segments+mapped.Name(0), root+"/actorstore/aside/commitlog-belongs-at-"+mapped.Name(0)), "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := closed(t)
			must(t, fsys.MkdirAll(root+"/actorstore/aside"))
			good, _ := readOpen(t, fsys.Kill())
			c.do(t, fsys)
			var lines []string
			for _, s := range plan(t, fsys).Steps {
				lines = append(lines, s.String())
			}
			if c.step == "" && len(lines) > 0 ||
				c.step != "" && (len(lines) != 1 || !strings.HasPrefix(lines[0], c.step) || !strings.Contains(lines[0], c.want)) {
				t.Errorf("want %q for %q, got %q", c.step, c.want, lines)
			}
			_, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
			must(t, err)
			if again := plan(t, fsys).Steps; len(again) > 0 {
				t.Errorf("a second repair finds %v", again)
			}
			if now, bad := readOpen(t, fsys); len(now) != len(good) || len(bad) > 0 {
				t.Errorf("%d of %d messages, %d damaged", len(now), len(good), len(bad))
			}
		})
	}
}

// TestTheOnlySegmentIsEmpty: a log of one segment without a byte is no new log if a
// mark knows of more, and nothing that repair could do brings it back.
func TestTheOnlySegmentIsEmpty(t *testing.T) {
	fsys := mappedtest.NewFS()
	must(t, fsys.MkdirAll(root))
	s, err := actorstore.Open(t.Context(), options(fsys))
	must(t, err)
	put(t, s, "plain", 0)
	must(t, s.Dispatched(t.Context()))
	must(t, s.Close(context.Background()))
	for _, path := range names(t, fsys, "commitlog")[1:] {
		must(t, fsys.Remove(path))
	}
	save(t, fsys, root+"/commitlog/"+mapped.Name(0), nil)
	before := files(t, fsys)
	if _, err := actorstore.PlanRepair(t.Context(), options(fsys)); err == nil || !strings.Contains(err.Error(), root+"/commitlog: no segment") {
		t.Errorf("want an error for the whole log, got %v", err)
	}
	if path := same(before, files(t, fsys)); path != "" {
		t.Errorf("%s was changed", path)
	}
}

// TestLogOfItsOwnDirectory: segments of a log outside of the root change places
// there, and what is moved away stays there: the root may be another file system.
func TestLogOfItsOwnDirectory(t *testing.T) {
	fsys := mappedtest.NewFS()
	must(t, fsys.MkdirAll(root))
	o := options(fsys)
	o.StorePathCommitLog = "/log"
	s, err := actorstore.Open(t.Context(), o)
	must(t, err)
	for i := range messages {
		put(t, s, "plain", i)
	}
	must(t, s.Dispatched(t.Context()))
	must(t, s.Close(context.Background()))
	a, b := "/log/"+mapped.Name(0), "/log/"+mapped.Name(segmentSize)
	first, second := load(t, fsys, a), load(t, fsys, b)
	save(t, fsys, a, second)
	save(t, fsys, b, first)
	save(t, fsys, "/log/stray.txt", []byte("stray"))
	r, err := actorstore.Repair(t.Context(), o, actorstore.RepairOptions{})
	must(t, err)
	if got := string(load(t, fsys, "/log/actorstore-aside/stray.txt")); got != "stray" {
		t.Errorf("kept %q", got)
	}
	for _, k := range r.Kept {
		if rel, err := filepath.Rel("/log", k.Path); err == nil && filepath.IsLocal(rel) != strings.Contains(k.Path, "stray") {
			t.Errorf("kept %s", k.Path)
		}
	}
	s, err = actorstore.Open(t.Context(), o)
	must(t, err)
	defer func() { must(t, s.Close(context.Background())) }()
	for i := range messages {
		var g actorstore.GetResult
		must(t, s.Get(t.Context(), actorstore.GetRequest{Topic: "plain", Offset: int64(i), MaxCount: 1}, &g))
		if len(g.Messages) != 1 || !strings.HasPrefix(string(g.Messages[0].Body), fmt.Sprint(i, ",")) {
			t.Fatalf("message %d: %v", i, g.Messages)
		}
	}
}
