package fault_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestRealFsyncgate lets the writeback of a real kernel fail: ext4 lies in a
// sparse file on a tmpfs that is full, so a sync fails once and succeeds the next
// time without having written anything.
func TestRealFsyncgate(t *testing.T) {
	needRoot(t, "mkfs.ext4", "truncate")
	dir, child := isolated(t)
	if !child {
		return
	}
	host := filepath.Join(dir, "host")
	tmpfs(t, host, "96m")
	failed, acked := 0, 0
	n := cycles(20)
	for i := range n {
		sync := i%2 == 0
		d := newDisk(t, host, filepath.Join(dir, "disk"), "ext4", "256M", "errors=continue")
		f, a := realGate(t, d, host, sync)
		failed, acked = failed+f, acked+a
		d.unmount(t)
		if t.Failed() {
			t.Fatalf("cycle %d, sync=%v", i, sync)
		}
	}
	note(t, "fsyncgate", n, violated(t))
	t.Logf("%d cycles: in %d a sync of the log failed, %d messages acknowledged before it", n, failed, acked)
	if failed < n*3/4 {
		t.Errorf("a sync of the log failed in %d of %d cycles only", failed, n)
	}
}

// realGate is one cycle. It tells how many syncs of the log have failed, which
// is at most one, and how many messages were acknowledged.
func realGate(t *testing.T, d *disk, host string, sync bool) (failed, acked int) {
	script := mappedtest.NewScript(mapped.OS())
	root := filepath.Join(d.at, "store")
	c := fault.NewClient(script, root, sync)
	c.Options.MappedFileSizeCommitLog = 1 << 20
	c.Options.MappedFileSizeConsumeQueue = 1000 * 20
	c.Options.MaxHashSlotNum, c.Options.MaxIndexNum = 100, 400
	c.Limit = 10 * time.Second
	if !c.Open() {
		t.Fatal("does not open")
	}
	c.Many("orders", 2, 1000, 200, 16)
	toPageEnd(t, c)
	if err := c.Store.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
	c.Model.Synced(c.Model.AckedEnd())
	full := filepath.Join(host, "hog")
	hog(t, full)
	for range 200 {
		c.Many("orders", 2, 2000, 20, 8)
		if syncs := logSyncs(script, root); len(syncs) > 0 && syncs[len(syncs)-1].Err != nil {
			break
		}
		if !sync {
			time.Sleep(5 * time.Millisecond)
		}
	}
	for range 20 { // RocketMQ's loop would succeed here
		state, err := c.Store.State()
		if err != nil {
			t.Fatal(err)
		}
		if p := c.Put("orders", 0, 100); state.ReadOnly != nil && p.Result.Status != flusher.ServiceNotAvailable {
			t.Errorf("put %d after the failed flush: %v %v", p.Serial, p.Result.Status, p.Result.Err)
		}
	}
	failed = failedIn(script, root)
	state, err := c.Store.State()
	for began := time.Now(); err == nil && failed > 0 && state.ReadOnly == nil && time.Since(began) < time.Second; {
		time.Sleep(time.Millisecond) // the call has returned, the store is about to see it
		state, err = c.Store.State()
	}
	if err != nil {
		t.Fatal(err)
	}
	if failed > 0 && state.ReadOnly == nil {
		t.Error("a flush has failed, the store is not read-only")
	}
	marks := c.Marks()
	at := c.Model.Take(func() oracle.Watermarks { return marks }, func() { _ = c.Close() })
	for _, f := range c.Faults {
		t.Error(f)
	}
	if syncs := logSyncs(script, root); failed > 0 && syncs[len(syncs)-1].Err == nil {
		t.Errorf("a sync of the log after the failed one: %v", syncs[len(syncs)-1])
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	d.unmount(t) // the page cache lies, and goes
	d.mount(t)
	script.Clear()
	if !c.Open() {
		t.Fatal("does not open again")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, acked = c.Model.Counts()
	if _, err := c.Reopened(ctx, at, oracle.PowerCut); err != nil {
		t.Error(err)
	}
	closeClient(t, c)
	return failed, acked
}

// toPageEnd makes the log end with a page. A loop device tells of a write whose
// first page fits and whose second does not that all of it has succeeded: such a
// disk lies, and no store can help it. From here every write fails as a whole.
func toPageEnd(t *testing.T, c *fault.Client) {
	p := c.Put("orders", 0, 1000)
	overhead := int64(p.Result.Size) - 1000
	size := 2*4096 - p.Result.End()%4096 - overhead
	if p = c.Put("orders", 0, int(size)); !p.Acked() || p.Result.End()%4096 != 0 {
		t.Fatalf("the log ends at %d: %v", p.Result.End(), p.Result.Err)
	}
}

func failedIn(script *mappedtest.Script, root string) (n int) {
	for _, c := range logSyncs(script, root) {
		if c.Err != nil {
			n++
		}
	}
	return n
}
