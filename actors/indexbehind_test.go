package actors

import (
	"math"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/reader"
)

// TestIndexBehindOpening: an index that lacks much is made whole behind the open
// store. Puts and reads do not wait for it, queries say that they may lack
// something, who waits for what was dispatched waits for it, and a store that is
// stopped on the way goes on later.
func TestIndexBehindOpening(t *testing.T) {
	r := open(t)
	const n = 200
	r.puts("a", 0, n)
	r.close()
	remove := func() {
		t.Helper()
		files, err := r.disk.ReadDir(root + "/index")
		if err != nil || len(files) == 0 {
			t.Fatalf("%d index files, %v", len(files), err)
		}
		for _, f := range files {
			if err := r.disk.Remove(root + "/index/" + f.Name()); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove()
	var steps []RecoveryEvent
	full := mappedtest.Rule{Op: mappedtest.OpAllocate, Path: root + "/actorstore/tmp/2*", Forever: true, Err: syscall.ENOSPC}
	r.start(func(o *Options) {
		o.Events.Recovery = func(e RecoveryEvent) {
			if e.Phase == "index" {
				steps = append(steps, e) // on the index's actor, one after the other
			}
		}
	}, func(*Options) { r.script.Add(full) })
	behind := r.tree().rooms.report.IndexBehind()
	if behind == 0 || behind != r.tree().rooms.report.End {
		t.Errorf("the index lacks %d bytes", behind)
	}
	if state, err := r.s.State(); err != nil || state.Watermarks.Dispatched != 0 {
		t.Errorf("dispatched up to %d, %v", state.Watermarks.Dispatched, err)
	}
	r.puts("a", n, n+5)
	eventually(t, "puts are read", func() bool { return len(r.bodies("a", 0)) == n+5 })
	rd, err := r.s.Reader()
	if err != nil {
		t.Fatal(err)
	}
	got, err := rd.Query(r.ctx, reader.QueryRequest{Topic: "a", Key: "k-1", MaxCount: 1, End: math.MaxInt64})
	if err != nil || !got.Incomplete {
		t.Errorf("a query says %+v, %v", got, err)
	}
	r.script.Clear()
	r.numbered("a", n+5)
	r.indexed("a", n+5)
	r.close() // a step is told behind what it tells of: the actor that tells has ended
	if n := len(steps); n == 0 || steps[n-1].Done != steps[n-1].Total || steps[n-1].Total != behind {
		t.Errorf("of %d bytes it told %+v", behind, steps)
	}

	remove()
	r.start(func(*Options) { r.script.Add(full) })
	r.puts("a", n+5, n+10)
	r.crash()
	r.numbered("a", n+10)
	r.indexed("a", n+10)
	r.close()
}
