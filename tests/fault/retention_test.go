package fault_test

import (
	"context"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestF07_QueuesFollowADurableDeletion: while the removal of segments is not
// durable, the queues keep the units of their records: a power cut brings the
// segments back, and log and queues agree.
func TestF07_QueuesFollowADurableDeletion(t *testing.T) {
	virtual(t, func(t *testing.T) {
		disk := mappedtest.NewFS()
		script := mappedtest.NewScript(disk)
		c := fault.NewClient(script, "/data/store", true)
		c.Options.MaxStoreSize = 48 << 10
		if !c.Open() {
			t.Fatal("does not open")
		}
		var images []*mappedtest.FS
		script.Add(mappedtest.Rule{Op: mappedtest.OpRemove, Path: "/data/store/commitlog/*", Forever: true, Then: func() {
			script.Add(mappedtest.Rule{Op: mappedtest.OpSyncDir, Path: "/data/store/commitlog", Err: syscall.EIO})
		}})
		for range 3 {
			c.Many("orders", 2, 3000, 10, 5)
			for range 10 {
				time.Sleep(100 * time.Millisecond)
				images = append(images, disk.Crash(0, mappedtest.Nothing))
			}
		}
		if state, err := c.Store.State(); err != nil || state.Watermarks.Min == 0 {
			t.Fatalf("nothing has expired: %+v %v", state, err)
		}
		script.Clear()
		closeClient(t, c)
		for n, image := range images {
			o := c.Options
			o.FS = image
			s, err := actorstore.Open(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if err := s.Close(context.Background()); err != nil {
				t.Error(err)
			}
			i, err := actorstore.Inspect(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if err := i.Verify(context.Background(), func(f actorstore.Finding) { t.Errorf("image %d: %v", n, f) }); err != nil {
				t.Error(err)
			}
			i.Close()
		}
	})
}
