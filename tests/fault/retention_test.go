package fault_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
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
		var removed struct { // as a kill leaves it when a file of a queue or the index has gone
			sync.Mutex
			images []*mappedtest.FS
		}
		watch := func() {
			for _, files := range []string{"/data/store/index/*", "/data/store/consumequeue/*/*/*"} {
				script.Add(mappedtest.Rule{Op: mappedtest.OpRemove, Path: files, Forever: true, Then: func() {
					removed.Lock()
					defer removed.Unlock()
					removed.images = append(removed.images, disk.Kill())
				}})
			}
		}
		watch()
		for _, n := range []int{30, 10, 10} { // several segments at once are to go, and the first one fails
			c.Many("orders", 2, 3000, n, 5)
			for range 10 {
				time.Sleep(100 * time.Millisecond)
				images = append(images, disk.Crash(0, mappedtest.Nothing))
			}
		}
		script.Clear()
		watch()
		for n := 0; ; n++ { // each removal has made one more sync fail
			time.Sleep(time.Second)
			state, err := c.Store.State()
			if err == nil && state.Watermarks.Min > 0 {
				break
			}
			if n == 100 {
				t.Fatalf("nothing has expired: %+v %v", state, err)
			}
		}
		time.Sleep(time.Second)
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
			verifyImage(t, fmt.Sprint("image ", n), o, "")
		}
		for n, image := range removed.images {
			o := c.Options
			o.FS = image
			verifyImage(t, fmt.Sprint("removal ", n), o, "opening adds them")
		}
		if len(removed.images) == 0 {
			t.Error("no file of a queue was removed")
		}
	})
}

// verifyImage checks a store as it stands. Findings that end in lag are expected, if
// that is not "": what an opening adds.
func verifyImage(t *testing.T, name string, o actorstore.Options, lag string) {
	t.Helper()
	i, err := actorstore.Inspect(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer i.Close()
	if err := i.Verify(context.Background(), func(f actorstore.Finding) {
		if lag == "" || !strings.HasSuffix(f.Got, lag) {
			t.Errorf("%s: %v", name, f)
		}
	}); err != nil {
		t.Error(err)
	}
}
