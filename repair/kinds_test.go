package repair_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// class is a part of a store, and which of its files is hit.
type class struct {
	name string
	dir  string
	file func(files []string) int
}

func first([]string) int        { return 0 }
func middle(files []string) int { return len(files) / 2 }

// lastUsed is the last segment that has records: behind it one is ready.
func lastUsed(files []string) int { return len(files) - 2 }
func last(files []string) int     { return len(files) - 1 }

func named(name string) func([]string) int {
	return func(files []string) int {
		for i, f := range files {
			if filepath.Base(f) == name {
				return i
			}
		}
		return 0
	}
}

var classes = []class{
	{"first segment", "commitlog", first},
	{"middle segment", "commitlog", middle},
	{"last segment", "commitlog", lastUsed},
	{"first queue file", "consumequeue/plain/0", first},
	{"middle queue file", "consumequeue/plain/0", middle},
	{"last queue file", "consumequeue/plain/0", last},
	{"batch queue file", "batchconsumequeue/inner/0", middle},
	{"index file", "index", middle},
	{"checkpoint", "", named("checkpoint")},
	{"mark", "actorstore", named("mark")},
	{"summary", "actorstore", named("queues")},
}

// kind is a way to damage a file.
type kind struct {
	name string
	do   func(t *testing.T, fsys *mappedtest.FS, files []string, i int)
}

var kinds = []kind{
	{"flipped bit", func(t *testing.T, fsys *mappedtest.FS, files []string, i int) {
		b := load(t, fsys, files[i])
		at := 45 % len(b)
		if strings.Contains(files[i], "batch") {
			at = 51 // the last bytes of a batch unit mean nothing
		}
		b[at] ^= 4
		save(t, fsys, files[i], b)
	}},
	{"zeroed page", func(t *testing.T, fsys *mappedtest.FS, files []string, i int) {
		save(t, fsys, files[i], make([]byte, len(load(t, fsys, files[i]))))
	}},
	{"noise", func(t *testing.T, fsys *mappedtest.FS, files []string, i int) {
		b := load(t, fsys, files[i])
		copy(b, strings.Repeat("noise!", 40))
		save(t, fsys, files[i], b)
	}},
	{"cut", func(t *testing.T, fsys *mappedtest.FS, files []string, i int) {
		b := load(t, fsys, files[i])
		save(t, fsys, files[i], b[:len(b)*2/3])
	}},
	{"longer", func(t *testing.T, fsys *mappedtest.FS, files []string, i int) {
		save(t, fsys, files[i], append(load(t, fsys, files[i]), "surplus"...))
	}},
	{"missing", func(t *testing.T, fsys *mappedtest.FS, files []string, i int) { must(t, fsys.Remove(files[i])) }},
	{"swapped", func(t *testing.T, fsys *mappedtest.FS, files []string, i int) {
		j := (i + 1) % len(files)
		a, b := load(t, fsys, files[i]), load(t, fsys, files[j])
		save(t, fsys, files[i], b)
		save(t, fsys, files[j], a)
	}},
	{"stale", func(t *testing.T, fsys *mappedtest.FS, files []string, i int) {
		b := load(t, fsys, files[i])
		clear(b[len(b)/3:])
		save(t, fsys, files[i], b)
	}},
	{"foreign", func(t *testing.T, fsys *mappedtest.FS, files []string, i int) {
		save(t, fsys, files[i], bytes.Repeat([]byte("a letter from another file "), 1+len(load(t, fsys, files[i]))/27))
	}},
}

// silent are hits that nothing in the store contradicts: what is gone leaves a
// store that could have been so.
func silent(k kind, c class) string {
	switch {
	case c.name == "checkpoint" && k.name == "longer", c.name == "mark" && k.name == "longer":
		return "RocketMQ's page may be of any length; ours is read by place"
	case k.name == "missing" && (c.name == "mark" || c.name == "summary" || c.name == "checkpoint"):
		return "a store of RocketMQ has none"
	case k.name == "swapped" && c.dir == "index":
		return "names of index files mean nothing"
	case k.name == "missing" && c.name == "first segment":
		return "retention takes the first segment"
	case k.name == "stale" && (c.name == "checkpoint"):
		return "what is behind the fields is not read"
	}
	return ""
}

// TestEveryKind: each kind of damage in each part of the store is told by verify,
// met as a typed error or not at all by who reads, and repaired; no other record
// is touched, and a second repair finds nothing.
func TestEveryKind(t *testing.T) {
	base := closed(t)
	for _, c := range classes {
		for _, k := range kinds {
			t.Run(c.name+"/"+k.name, func(t *testing.T) {
				fsys := base.Kill()
				paths := names(t, fsys, c.dir)
				hit := c.file(paths)
				before := files(t, fsys)
				k.do(t, fsys, paths, hit)
				if same(before, files(t, fsys)) == "" {
					t.Skip("nothing was changed")
				}
				hurt := lostIn(t, base, before, files(t, fsys), c.dir == "commitlog" && k.name != "swapped")
				found := verify(t, fsys)
				if why := silent(k, c); why == "" && len(found) == 0 {
					t.Error("not noticed by verify")
				}
				readThrough(t, fsys, c)
				repairAll(t, fsys, hurt, c)
			})
		}
	}
}

// lostIn gives the messages whose records were changed in the log.
func lostIn(t *testing.T, base *mappedtest.FS, before, after map[string]string, isLog bool) map[string]bool {
	t.Helper()
	lost := map[string]bool{}
	if !isLog {
		return lost
	}
	i, err := actorstore.Inspect(t.Context(), options(base))
	must(t, err)
	defer i.Close()
	for _, topic := range []string{"plain", "other", "inner"} {
		var g actorstore.GetResult
		for at := int64(0); ; at = g.NextOffset {
			must(t, i.Get(t.Context(), actorstore.GetRequest{Topic: topic, Offset: at, MaxCount: 1}, &g))
			if len(g.Messages) == 0 {
				break
			}
			m := &g.Messages[0]
			path := fmt.Sprintf("%s/commitlog/%020d", root, m.PhysicalOffset/segmentSize*segmentSize)
			from := m.PhysicalOffset % segmentSize
			to := from + int64(m.StoreSize)
			if now, ok := after[path]; !ok || int64(len(now)) < to || now[from:to] != before[path][from:to] {
				lost[fmt.Sprintf("%s-%d", topic, m.QueueOffset)] = true
			}
		}
	}
	return lost
}

// readThrough reads the damaged store as it is: messages that are right, typed
// errors, nothing else.
func readThrough(t *testing.T, fsys *mappedtest.FS, c class) {
	t.Helper()
	i, err := actorstore.Inspect(t.Context(), options(fsys))
	must(t, err)
	defer i.Close()
	read(t, i)
	_ = c
}

// repairAll repairs a store and checks all that was promised.
func repairAll(t *testing.T, fsys *mappedtest.FS, hurt map[string]bool, c class) {
	t.Helper()
	want := plan(t, fsys)
	_, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
	if want.Choices() > 0 {
		if !errors.Is(err, actorstore.ErrChoice) {
			t.Fatalf("%d choices, and repair says %v", want.Choices(), err)
		}
		if len(hurt) == 0 && c.dir == "commitlog" {
			t.Errorf("a choice where nothing is lost: %v", want.Steps)
		}
		_, err = actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{SkipDamaged: true})
	}
	must(t, err)
	for _, f := range verify(t, fsys) {
		if f.Where != recoverer.CommitLog {
			t.Errorf("after repair: %s", f)
		}
		if len(hurt) == 0 {
			t.Errorf("no record was hit: %s", f)
		}
	}
	if again := plan(t, fsys); len(again.Steps) > 0 {
		t.Errorf("a second repair finds %v", again.Steps)
	}
	s, err := actorstore.Open(t.Context(), options(fsys))
	must(t, err)
	defer func() { must(t, s.Close(context.Background())) }()
	good, _ := read(t, s)
	for _, topic := range []string{"plain", "other", "inner"} {
		for i := range int64(messages) {
			name := fmt.Sprintf("%s-%d", topic, i)
			if topic == "inner" && i%2 == 1 {
				continue
			}
			if !good[name] && !hurt[name] {
				t.Errorf("%s is lost", name)
			}
			if good[name] && hurt[name] {
				t.Errorf("%s cannot be there", name)
			}
		}
	}
	keyed(t, s, good)
	put(t, s, "plain", 7777)
}
