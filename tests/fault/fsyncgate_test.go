package fault_test

import (
	"context"
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/fault"
)

// logSyncs are the calls of a trace that sync a segment of the log.
func logSyncs(script *mappedtest.Script, root string) (all []mappedtest.Call) {
	for _, c := range script.Trace() {
		switch c.Op {
		case mappedtest.OpSync, mappedtest.OpDatasync, mappedtest.OpFlush:
			if filepath.Dir(c.Path) == filepath.Join(root, "commitlog") {
				all = append(all, c)
			}
		}
	}
	return all
}

// TestFsyncgate fails every sync of the log in turn, where the kernel forgets
// what it could not write: no sync of the log comes after it, no acknowledgement,
// all who wait are answered at once, and what is found when the store is opened
// again is what was acknowledged and then a prefix of what was sent.
func TestFsyncgate(t *testing.T) {
	for _, sync := range []bool{true, false} {
		gates := 0
		for k := 1; ; k++ {
			hit := false
			for landed := range 3 { // so many pages of it reach the disk all the same
				t.Run(fmt.Sprintf("sync=%v/k=%d/landed=%d", sync, k, landed), func(t *testing.T) {
					virtual(t, func(t *testing.T) { hit = gate(t, sync, k, landed) })
				})
			}
			if !hit {
				break
			}
			gates++
		}
		if t.Logf("sync=%v: %d syncs failed in turn", sync, gates); gates < 5 {
			t.Errorf("sync=%v: only %d syncs to fail", sync, gates)
		}
	}
}

// gate is one case; it tells whether there was a k-th sync.
func gate(t *testing.T, sync bool, k, landed int) bool {
	disk := mappedtest.NewFS()
	script := mappedtest.NewScript(disk)
	c := fault.NewClient(script, "/data/store", sync)
	if !c.Open() {
		t.Fatal("does not open")
	}
	for _, op := range []mappedtest.Op{mappedtest.OpDatasync, mappedtest.OpFlush} {
		script.Add(mappedtest.Rule{Op: op, Path: "/data/store/commitlog/*", At: k, Err: syscall.EIO, Landed: landed})
	}
	var late []*fault.Put
	for range 6 {
		c.Many("orders", 2, 3000, 4, 4)
		if failedAt(script) < 0 {
			time.Sleep(25 * time.Millisecond) // an asynchronous flush
		}
	}
	at := failedAt(script)
	if at < 0 {
		closeClient(t, c)
		return false
	}
	for range 4 {
		late = append(late, c.Put("orders", 0, 100))
	}
	for _, p := range late {
		if !p.Refused() || p.Result.Status != flusher.ServiceNotAvailable {
			t.Errorf("a put after the failed flush: %v %v", p.Result.Status, p.Result.Err)
		}
	}
	if err := c.Store.Flush(context.Background()); err == nil {
		t.Error("Flush succeeds after a failed flush")
	}
	time.Sleep(5 * time.Second) // ticks, marks
	var acked, cut *mappedtest.FS
	snapshot := c.Model.Take(c.Marks, func() {
		acked = disk.DropCaches()
		cut = disk.Crash(uint64(k), mappedtest.Random)
	})
	state, err := c.Store.State()
	if err != nil || state.ReadOnly == nil {
		t.Errorf("state: read-only %v, %v", state.ReadOnly, err)
	}
	if err := c.Close(); err == nil {
		t.Error("close is clean after a failed flush")
	}
	if n := len(logSyncs(script, "/data/store")); n != at+1 {
		t.Errorf("%d syncs of the log after the failed one:\n%v", n-at-1, logSyncs(script, "/data/store")[at:])
	}
	for _, f := range c.Faults {
		t.Error(f)
	}
	for _, image := range []*mappedtest.FS{disk.Kill(), acked, cut} {
		r := fault.NewClient(image, "/data/store", sync)
		r.Model = c.Model
		if !r.Open() {
			t.Fatal("does not open again")
		}
		if _, err := r.Reopened(context.Background(), snapshot, oracle.PowerCut); err != nil {
			t.Error(err)
		}
		closeClient(t, r)
	}
	return true
}

// failedAt is the place of the failed sync among those of the log, -1 if none
// has failed.
func failedAt(script *mappedtest.Script) int {
	for i, c := range logSyncs(script, "/data/store") {
		if c.Err != nil {
			return i
		}
	}
	return -1
}

func closeClient(t testing.TB, c *fault.Client) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

// virtual runs f in a bubble of virtual time, as carryOut does.
func virtual(t *testing.T, f func(t *testing.T)) {
	collect()
	defer collect()
	synctest.Test(t, func(t *testing.T) {
		f(t)
		time.Sleep(time.Minute)
	})
}
