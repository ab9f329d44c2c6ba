package actors

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// On ext4 a page whose first write to its place has failed is not made durable by
// any later sync: all of them succeed, and the disk has zeros there. What such a
// page showed was made sure again by an opening, and acknowledged messages were put
// into such pages; the next power cut took both.
func TestNothingIsPutWhereNoSyncReaches(t *testing.T) {
	for _, sync := range []bool{true, false} {
		for _, pinned := range []bool{false, true} { // somebody else looks at the store
			for _, torn := range []bool{false, true} { // the last message is cut
				t.Run(fmt.Sprintf("sync %t, pinned %t, torn %t", sync, pinned, torn), func(t *testing.T) {
					putWhereNoSyncReaches(t, sync, pinned, torn)
				})
			}
		}
	}
}

func putWhereNoSyncReaches(t *testing.T, sync, pinned, torn bool) {
	flush := map[bool]func(*Options){true: syncFlush, false: asyncFlush}[sync]
	op := map[bool]mappedtest.Op{true: mappedtest.OpDatasync, false: mappedtest.OpFlush}[sync]
	r := &rig{t: t, disk: mappedtest.NewFS()}
	r.disk.SetSticky()
	r.disk.SetPinned(pinned)
	r.start(flush, func(o *Options) { o.ZeroAheadCommitLog = 0 })
	for range 3 {
		r.put("a", 0, "x")
	}
	if err := r.s.Flush(r.ctx); err != nil {
		t.Fatal(err)
	}
	at := r.tree().log().Appended()
	r.script.Add(mappedtest.Rule{Op: op, Path: root + "/commitlog/*", Err: syscall.EIO})
	large := strings.Repeat("x", 10_000) // pages that have never been on the disk
	_, _ = r.s.Put(r.ctx, message("a", 0, large))
	if err := r.s.Flush(r.ctx); err == nil {
		t.Fatal("the flush has not failed")
	}
	eventually(t, "it is read-only", func() bool { return r.told("read-only") == 1 })
	_ = r.s.Close(r.ctx)
	if torn {
		r.overwrite("commitlog/00000000000000000000", at+5000, strings.Repeat("torn", 100))
	}
	r.start(flush)
	before := len(r.bodies("a", 0))
	if wrong := before <= 3; wrong != torn {
		t.Fatalf("%d messages are there", before)
	}
	for range 20 {
		r.put("b", 0, large)
	}
	if err := r.s.Flush(r.ctx); err != nil {
		t.Fatal(err)
	}
	r.disk = r.disk.Crash(1, mappedtest.Nothing)
	r.start(flush)
	if after := len(r.bodies("a", 0)); after != before {
		t.Errorf("%d messages of %d are there after a power cut", after, before)
	}
	if after := len(r.bodies("b", 0)); after != 20 {
		t.Errorf("%d messages of 20 are there after a power cut", after)
	}
	r.close()
}

// overwrite changes bytes of a file of a store that is closed.
func (r *rig) overwrite(name string, at int64, with string) {
	r.t.Helper()
	f, err := r.disk.OpenFile(root+"/"+name, os.O_RDWR, 0)
	if err != nil {
		r.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte(with), at); err != nil {
		r.t.Fatal(err)
	}
}

// The same pages in queues and index: they are written again by an opening, and a
// power cut later they held nothing; or, where more had been written to them since
// their sync had failed, still did.
func TestQueuesAndIndexReachTheDisk(t *testing.T) {
	for name, rule := range map[string]mappedtest.Rule{
		"queues":      {Op: mappedtest.OpDatasync, Path: "queuefile-*"},
		"file system": {Op: mappedtest.OpSyncFS},
		"index":       {Op: mappedtest.OpFlush, Path: root + "/index/*"},
	} {
		for _, first := range []int{300, 100} { // so many are there when the sync fails, of 300
			t.Run(fmt.Sprint(name, " ", first), func(t *testing.T) {
				virtual(t, func(t *testing.T) { queuesAndIndexReachTheDisk(t, rule, first) })
			})
		}
	}
}

func queuesAndIndexReachTheDisk(t *testing.T, rule mappedtest.Rule, first int) {
	r := &rig{t: t, disk: mappedtest.NewFS()}
	r.disk.SetSticky()
	rule.Err, rule.Forever = syscall.EIO, true
	r.start(syncFlush)
	r.script.Add(rule)
	r.puts("a", 0, first)
	if first < 300 {
		time.Sleep(2 * time.Second) // the first summary
		r.puts("a", first, 300)
	}
	r.dispatched()
	_ = r.s.Close(r.ctx)
	r.disk = r.disk.Kill()
	r.start(syncFlush)
	r.puts("a", 300, 310)
	r.dispatched()
	r.close()
	r.disk = r.disk.Crash(1, mappedtest.Nothing)
	r.start(syncFlush)
	r.numbered("a", 310)
	r.indexed("a", 310)
	if damaged := r.tree().rooms.damaged.Load(); damaged > 0 {
		t.Errorf("%d damaged places: %q", damaged, r.events)
	}
	r.close()
}
