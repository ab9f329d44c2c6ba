package fault_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestDiskFull fills small file systems under a store: puts are refused with a
// status that says why, nothing dies, and within five seconds of space coming
// back the same store takes puts again.
func TestDiskFull(t *testing.T) {
	needRoot(t, "mkfs.ext4", "truncate")
	dir, child := isolated(t)
	if !child {
		return
	}
	tmpfs(t, filepath.Join(dir, "host"), "512m")
	refused, slowest := 0, time.Duration(0)
	n := cycles(24)
	for i := range n {
		kind, sync, queues := []string{"ext4", "tmpfs"}[i%2], i/2%2 == 0, i/4%3
		at := filepath.Join(dir, "disk")
		if kind == "tmpfs" {
			command(t, "mkdir", "-p", at)
			command(t, "mount", "-t", "tmpfs", "-o", "size=24m", "none", at)
		} else {
			newDisk(t, filepath.Join(dir, "host"), at, kind, "32M", "")
		}
		r, healed := fill(t, at, sync, []int32{1, 8, 300}[queues])
		refused, slowest = refused+r, max(slowest, healed)
		(&disk{at: at}).unmount(t)
		if t.Failed() {
			t.Fatalf("cycle %d: %s, sync=%v", i, kind, sync)
		}
	}
	note(t, "disk-full", n, violated(t))
	t.Logf("%d full disks, %d puts refused, writing again at most %v after space came back", n, refused, slowest)
}

// fill is one cycle.
func fill(t *testing.T, at string, sync bool, queues int32) (refused int, healed time.Duration) {
	reserve := filepath.Join(at, "reserve")
	if err := os.WriteFile(reserve, make([]byte, 8<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	c := fault.NewClient(mapped.OS(), filepath.Join(at, "store"), sync)
	o := &c.Options
	o.MappedFileSizeCommitLog = 1 << 20
	o.MappedFileSizeConsumeQueue = 500 * 20
	o.MaxHashSlotNum, o.MaxIndexNum = 100, 1000
	o.CleanFileForciblyEnable = false // nothing is deleted to make room
	o.DiskMaxUsedSpaceRatio, o.DiskSpaceCleanForciblyRatio, o.DiskSpaceWarningLevelRatio = 100, 100, 100
	c.Limit = fault.Real
	if !c.Open() {
		t.Fatal("does not open")
	}
	inARow := 0
	for n := 0; inARow < 50; n++ {
		if n > 20000 {
			t.Fatal("the disk does not fill up")
		}
		p := c.Put("orders", int32(n)%queues, 4000)
		if p.Acked() {
			inARow = 0
			continue
		}
		inARow++
		refused++
		if p.Result.Status != flusher.CreateMappedFileFailed {
			t.Fatalf("a put to a full disk: %v %v", p.Result.Status, p.Result.Err)
		}
	}
	if err := os.Remove(reserve); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	for !c.Put("orders", 0, 4000).Acked() {
		if time.Since(began) > fault.Real {
			p := c.Puts[len(c.Puts)-1]
			t.Fatalf("a minute after space came back a put gets %v: %v", p.Result.Status, p.Result.Err)
		}
		time.Sleep(20 * time.Millisecond)
	}
	healed = time.Since(began)
	c.Many("orders", queues, 1000, 100, 10)
	if p := c.Puts[len(c.Puts)-1]; !p.Acked() {
		t.Errorf("and then: %v %v", p.Result.Status, p.Result.Err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), fault.Real)
	defer cancel()
	if err := c.Intact(ctx); err != nil {
		t.Error(err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for _, f := range c.Faults {
		t.Error(f)
	}
	if !c.Open() {
		t.Fatal("does not open again")
	}
	if _, err := c.Reopened(ctx, c.Model.Now(), oracle.Closed); err != nil {
		t.Error(err)
	}
	closeClient(t, c)
	return refused, healed
}
