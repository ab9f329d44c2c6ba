package actors

import (
	"errors"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// F29: while no index file can be made, puts and reading go on, no files pile
// up, and the keys come later.
func TestIndexCannotBeMade(t *testing.T) {
	for _, c := range []struct {
		name string
		rule mappedtest.Rule
	}{
		{"create", mappedtest.Rule{Op: mappedtest.OpAllocate, Path: root + "/actorstore/tmp/*", Err: syscall.ENOSPC}},
		{"map", mappedtest.Rule{Op: mappedtest.OpMap, Path: root + "/index/*", Err: syscall.ENOMEM}},
		{"rename", mappedtest.Rule{Op: mappedtest.OpRename, Path: root + "/index/*", Err: syscall.EIO}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := open(t)
			c.rule.Forever = true
			if c.name == "create" { // only the index: queue files are sparse
				c.rule.Path = root + "/actorstore/tmp/2*"
			}
			r.script.Add(c.rule)
			const n = 400
			r.puts("a", 0, n)
			eventually(t, "the queue holds all", func() bool { return len(r.bodies("a", 0)) == n })
			eventually(t, "the index fails", func() bool { return r.told("restarted index") > 4 })
			if r.told("parked index") != 0 {
				t.Error("what the disk refuses parks nobody")
			}
			if files, err := r.disk.ReadDir(root + "/index"); err == nil && len(files) > 2 {
				t.Errorf("%d index files", len(files))
			}
			r.script.Clear()
			r.numbered("a", n)
			r.indexed("a", n)
			r.puts("a", n, n+5)
			r.numbered("a", n+5)
			r.indexed("a", n+5)
			r.reopen()
			r.indexed("a", n+5)
			r.close()
		})
	}
}

// F19: a queue that cannot be written for a while skips nothing, and other
// queues of the same shard wait no longer than it.
func TestQueueCannotBeWritten(t *testing.T) {
	for _, err := range []error{syscall.ENOSPC, syscall.EIO} {
		t.Run(err.Error(), func(t *testing.T) {
			r := open(t, func(o *Options) { o.QueueShards = 2 })
			r.puts("a", 0, 10)
			r.numbered("a", 10)
			const other = int32(1) // in the other shard
			r.script.Add(mappedtest.Rule{Op: mappedtest.OpRename, Path: root + "/consumequeue/a/0/*", Forever: true, Err: err})
			const n = 1000
			r.puts("a", 10, n)
			for i := range 20 {
				if result := r.put("a", other, fmt.Sprint(i)); result.QueueOffset != int64(i) {
					t.Fatalf("offset %d", result.QueueOffset)
				}
			}
			eventually(t, "the other shard goes on", func() bool { return len(r.bodies("a", other)) == 20 })
			eventually(t, "it fails again and again", func() bool { return r.told("restarted queues-0")+r.told("restarted queues-1") > 4 })
			if got := len(r.bodies("a", 0)); got != 64 { // one file
				t.Errorf("%d messages in a queue that cannot be written", got)
			}
			r.script.Clear()
			r.numbered("a", n)
			if r.told("parked queues-0")+r.told("parked queues-1") != 0 {
				t.Error("what the disk refuses parks nobody")
			}
			r.reopen()
			r.numbered("a", n)
			r.close()
		})
	}
}

// A sink that panics on one record is parked; everything else goes on, and the
// next start has all of it.
func TestParkedSink(t *testing.T) {
	for _, name := range []string{"index", "queue"} {
		t.Run(name, func(t *testing.T) {
			r := open(t)
			r.puts("a", 0, 10)
			r.numbered("a", 10)
			path := root + "/index/*"
			if name == "queue" {
				path = root + "/consumequeue/a/0/*"
				r.script.Add(mappedtest.Rule{Op: mappedtest.OpRename, Path: path, Forever: true, Before: func() { panic("bad record") }})
			} else {
				// The file in use is full soon.
				r.script.Add(mappedtest.Rule{Op: mappedtest.OpMap, Path: path, Forever: true, Before: func() { panic("bad record") }})
				r.script.Add(mappedtest.Rule{Op: mappedtest.OpAllocate, Path: root + "/actorstore/tmp/2*", Forever: true, Before: func() { panic("bad record") }})
			}
			const n = 1500
			r.puts("a", 10, n)
			eventually(t, "parked", func() bool {
				return r.told("parked index")+r.told("parked queues-0")+r.told("parked queues-1") == 1
			})
			r.put("a", 1, "another")
			eventually(t, "another queue goes on", func() bool { return len(r.bodies("a", 1)) == 1 })
			// Offsets must not start again when append comes back.
			r.kill(appendName)
			eventually(t, "append has failed", func() bool { return r.told("restarted append") == 1 })
			eventually(t, "append is back", func() bool { _, err := r.s.Put(r.ctx, message("b", 0, "x")); return err == nil })
			if result := r.put("a", 0, fmt.Sprint(n)); result.QueueOffset != n {
				t.Fatalf("offset %d after append came back, want %d", result.QueueOffset, n)
			}
			r.script.Clear()
			if err := r.s.Close(r.ctx); err != nil {
				t.Logf("close: %v", err) // it may have caught up
			}
			r.crash()
			r.numbered("a", n+1)
			r.indexed("a", n+1)
			r.close()
		})
	}
}

// What the summary claims of a parked sink is what that has taken in.
func TestParkedSinkIsNotClaimed(t *testing.T) {
	r := open(t, func(o *Options) { o.FlushConsumeQueueThoroughInterval = time.Millisecond })
	r.puts("a", 0, 10)
	r.numbered("a", 10)
	r.script.Add(mappedtest.Rule{Op: mappedtest.OpRename, Path: root + "/consumequeue/a/0/*", Forever: true, Before: func() { panic("bad record") }})
	r.puts("a", 10, 150)
	eventually(t, "parked", func() bool { return r.told("parked queues-0")+r.told("parked queues-1") == 1 })
	if err := r.s.Dispatched(r.ctx); !errors.Is(err, ErrParked) { // by all but the parked one
		t.Errorf("dispatched: %v", err)
	}
	r.put("b", 0, "x")
	if err := r.s.Flush(r.ctx); err != nil {
		t.Fatal(err)
	}
	r.s.system.Root.Send(r.pid("checkpoint"), &tick{})
	eventually(t, "a summary and its mark are written", func() bool {
		mark, found, err := checkpoint.ReadMark(r.disk, r.layout())
		return err == nil && found && mark.FlushedEnd == r.tree().log().Appended()
	})
	r.crash() // the store above is not closed
	r.numbered("a", 150)
	r.close()
}
