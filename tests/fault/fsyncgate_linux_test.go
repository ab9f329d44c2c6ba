package fault_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"syscall"
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
	failed, acked, again := 0, 0, 0
	n := cycles(20)
	for i := range n {
		sync, believed := i%2 == 0, i%4 < 2
		d := newDisk(t, host, filepath.Join(dir, "disk"), "ext4", "256M", "errors=continue")
		g := realGate(t, d, host, sync, believed)
		failed, acked = failed+g.failed, acked+g.acked
		if g.believed {
			again++
		}
		d.unmount(t)
		if t.Failed() {
			t.Fatalf("cycle %d, sync=%v, believed=%v", i, sync, believed)
		}
	}
	note(t, "fsyncgate", n, violated(t))
	t.Logf("%d cycles: in %d a sync of the log failed, %d messages acknowledged before it; %d openings beside the page cache that lies", n, failed, acked, again)
	if again < n/10 {
		t.Errorf("%d openings beside the page cache that lies prove little", again)
	}
	if failed < n*3/4 {
		t.Errorf("a sync of the log failed in %d of %d cycles only", failed, n)
	}
}

// gateCycle is what a cycle has come to.
type gateCycle struct {
	failed   int // syncs of the log, one at most
	acked    int // messages
	believed bool
}

// realGate is one cycle. believed: the store is opened before the page cache goes,
// which shows what the disk has lost; what it then serves must be on the disk.
func realGate(t *testing.T, d *disk, host string, sync, believed bool) gateCycle {
	script := mappedtest.NewScript(mapped.OS())
	root := filepath.Join(d.at, "store")
	c := fault.NewClient(script, root, sync)
	c.Options.MappedFileSizeCommitLog = 1 << 20
	c.Options.MappedFileSizeConsumeQueue = 1000 * 20
	c.Options.MaxHashSlotNum, c.Options.MaxIndexNum = 100, 400
	c.Limit = fault.Real
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
	failed := failedIn(script, root)
	state, err := c.Store.State()
	for began := time.Now(); err == nil && failed > 0 && state.ReadOnly == nil && time.Since(began) < fault.Real; {
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
	script.Clear()
	_, acked := c.Model.Counts()
	if believed = believed && d.writable(); believed {
		openAgain(t, c, at, oracle.Killed)
		c.Many("orders", 2, 500, 200, 16) // where the pages were that have failed
		if err := c.Store.Flush(context.Background()); err != nil {
			t.Error(err)
		}
		at = c.Model.Now()
		closeClient(t, c)
	}
	d.unmount(t) // the page cache lies, and goes
	d.mount(t)
	cut := oracle.PowerCut
	if believed {
		cut = oracle.Killed // nothing less than there was
	}
	openAgain(t, c, at, cut)
	closeClient(t, c)
	return gateCycle{failed, acked, believed}
}

// writable tells whether the file system is one that can be opened again: ext4 gives
// up where its journal cannot be written either.
func (d *disk) writable() bool {
	probe := filepath.Join(d.at, "probe")
	return os.WriteFile(probe, nil, 0o644) == nil && os.Remove(probe) == nil
}

func openAgain(t *testing.T, c *fault.Client, at oracle.Snapshot, cut oracle.Cut) {
	t.Helper()
	// The kernel tells of a write that it has lost once, to whoever syncs next. That
	// may be the opening, which does not try twice; the next one writes all again.
	if !c.Open() && (!errors.Is(c.OpenErr, syscall.ENOSPC) || !c.Open()) {
		t.Fatal("does not open again:", c.OpenErr)
	}
	ctx, cancel := context.WithTimeout(context.Background(), fault.Real)
	defer cancel()
	if _, err := c.Reopened(ctx, at, cut); err != nil {
		t.Error(err)
	}
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
