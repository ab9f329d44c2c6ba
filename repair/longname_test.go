package repair_test

import (
	"context"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestLongTopic: a topic may have as many bytes as a directory's name; what is
// kept of its queue has a name that is shorter than all of them one after another.
func TestLongTopic(t *testing.T) {
	topic := "%RETRY%" + strings.Repeat("g", 248)
	fsys := mappedtest.NewFS()
	must(t, fsys.MkdirAll(root))
	s, err := actorstore.Open(t.Context(), options(fsys))
	must(t, err)
	for i := range messages {
		put(t, s, topic, i)
	}
	must(t, s.Dispatched(t.Context()))
	must(t, s.Close(context.Background()))
	file := root + "/consumequeue/" + topic + "/0/" + mapped.Name(queueSize)
	hurt := load(t, fsys, file)
	hurt[27] ^= 1 // of the physical offset of its second unit
	save(t, fsys, file, hurt)
	r, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
	must(t, err)
	kept := false
	for _, k := range r.Kept {
		kept = kept || string(load(t, fsys, k.Path)) == string(hurt)
	}
	if !kept {
		t.Errorf("the damaged file is not among %v", r.Kept)
	}
	if again := plan(t, fsys).Steps; len(again) > 0 {
		t.Errorf("a second repair finds %v", again)
	}
}

// TestLongStrayTwice: a stray whose name has no room left for a number is moved
// away as often as it comes.
func TestLongStrayTwice(t *testing.T) {
	fsys := closed(t)
	stray := root + "/commitlog/" + strings.Repeat("s", 255)
	for _, content := range []string{"one", "two", "three"} {
		save(t, fsys, stray, []byte(content))
		r, err := actorstore.Repair(t.Context(), options(fsys), actorstore.RepairOptions{})
		must(t, err)
		if len(r.Kept) != 1 || string(load(t, fsys, r.Kept[0].Path)) != content {
			t.Fatalf("%s: %v", content, r.Kept)
		}
	}
}
