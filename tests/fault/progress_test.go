package fault_test

import (
	"fmt"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestF10_MarkGoesOnAfterAFailure: one call that fails while a mark, the
// checkpoint page or the queue summary is written does not end the writing of
// marks, and the stop is clean.
func TestF10_MarkGoesOnAfterAFailure(t *testing.T) {
	layout := checkpoint.NewLayout("/data/store", "")
	for _, path := range []string{layout.MarkFile(), layout.CheckpointFile(), filepath.Base(layout.QueuesFile()), filepath.Base(layout.MarkFile())} {
		for _, op := range []mappedtest.Op{mappedtest.OpOpen, mappedtest.OpWrite, mappedtest.OpDatasync, mappedtest.OpSync, mappedtest.OpRename} {
			for _, often := range []int{1, 2, 3} {
				t.Run(fmt.Sprintf("%s/%v/%d", path, op, often), func(t *testing.T) {
					virtual(t, func(t *testing.T) {
						markGoesOn(t, layout, mappedtest.Rule{Op: op, Path: path, Err: syscall.EIO}, often)
					})
				})
			}
		}
	}
}

func markGoesOn(t *testing.T, layout checkpoint.Layout, rule mappedtest.Rule, often int) {
	disk := mappedtest.NewFS()
	script := mappedtest.NewScript(disk)
	c := fault.NewClient(script, layout.Root, true)
	c.Options.MessageIndexEnable = false
	if !c.Open() {
		t.Fatal("does not open")
	}
	for i := range often {
		rule.At = i + 1
		script.Add(rule)
	}
	for range 5 {
		c.Put("orders", 0, 100)
		time.Sleep(time.Second)
	}
	script.Clear()
	end := c.Put("orders", 0, 100).Result.End()
	time.Sleep(3 * time.Second)
	image := disk.Crash(1, mappedtest.Nothing)
	marks, err := checkpoint.ReadMarks(image, layout)
	if err != nil || len(marks) == 0 || marks[0].FlushedEnd != end {
		t.Errorf("marks %+v, want one at %d: %v", marks, end, err)
	}
	page, _, err := checkpoint.ReadCheckpoint(image, layout.CheckpointFile())
	if err != nil || len(marks) == 0 || !marks[0].Matches(page) {
		t.Errorf("the newest mark does not match the checkpoint page %+v: %v", page, err)
	}
	closeClient(t, c)
}

// TestF26_DerivedFilesAfterAFailedSync: a sync of the queues or of the index fails,
// the kernel forgets the pages, and the process goes down. What the next one reads
// of them is not on disk; its clean stop makes it so.
func TestF26_DerivedFilesAfterAFailedSync(t *testing.T) {
	for _, rule := range []mappedtest.Rule{
		{Op: mappedtest.OpFlush, Path: "/data/store/index/*"},
		{Op: mappedtest.OpFlush, Path: "/data/store/index/*", At: 2},
		{Op: mappedtest.OpDatasync, Path: "queuefile-*"},
		{Op: mappedtest.OpDatasync, Path: "queuefile-*", At: 2},
		{Op: mappedtest.OpDatasync, Path: "queuefile-*", At: 4}, // where no search for the end comes by
		{Op: mappedtest.OpDatasync, Path: "queuefile-*", At: 7},
	} {
		for i := range 4 {
			sync, summary := i%2 == 0, i < 2
			t.Run(fmt.Sprintf("%v/%s/%d/sync=%v/summary=%v", rule.Op, rule.Path, rule.At, sync, summary), func(t *testing.T) {
				virtual(t, func(t *testing.T) { derivedAfterFailedSync(t, rule, sync, summary) })
			})
		}
	}
}

func derivedAfterFailedSync(t *testing.T, rule mappedtest.Rule, sync, summary bool) {
	disk := mappedtest.NewFS()
	script := mappedtest.NewScript(disk)
	c := opened(t, script, sync, nil)
	c.Many("orders", 2, 100, 20, 5)
	time.Sleep(3 * time.Second) // the first sync of the queues is one of the whole file system
	rule.Err = syscall.EIO
	script.Add(rule)
	c.Many("orders", 2, 100, 130, 5)
	time.Sleep(3 * time.Second)
	if err := c.Close(); err == nil {
		t.Error("the stop is clean after a failed sync")
	}
	image := disk.Kill()
	if !summary {
		if err := image.Remove("/data/store/actorstore/queues"); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		reopened(t, c, image)
		checked(t, c)
		closeClient(t, c)
		image = image.Crash(1, mappedtest.Nothing)
	}
}
