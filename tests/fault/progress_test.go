package fault_test

import (
	"context"
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
	var end int64
	for range 5 {
		end = c.Put("orders", 0, 100).Result.End()
		time.Sleep(time.Second)
	}
	script.Clear()
	end = c.Put("orders", 0, 100).Result.End()
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

// TestF26_IndexAfterAFailedFlush: a flush of the index fails, the kernel forgets
// the pages, and the process goes down. What the next one reads of them is not on
// disk; its clean stop makes it so.
func TestF26_IndexAfterAFailedFlush(t *testing.T) {
	for _, sync := range []bool{true, false} {
		virtual(t, func(t *testing.T) {
			disk := mappedtest.NewFS()
			script := mappedtest.NewScript(disk, mappedtest.Rule{Op: mappedtest.OpFlush, Path: "/data/store/index/*", Err: syscall.EIO})
			c := fault.NewClient(script, "/data/store", sync)
			if !c.Open() {
				t.Fatal("does not open")
			}
			c.Many("orders", 2, 100, 20, 5)
			time.Sleep(3 * time.Second)
			if err := c.Close(); err == nil {
				t.Error("the stop is clean after a failed flush of the index")
			}
			image := disk.Kill()
			for range 2 {
				c.Options.FS = image
				if !c.Open() {
					t.Fatal("does not open again")
				}
				ctx := context.Background()
				if err := c.Store.Dispatched(ctx); err != nil {
					t.Error(err)
				}
				if err := c.Check(ctx, c.Store, 0, c.Promised(1<<62)); err != nil {
					t.Error(err)
				}
				closeClient(t, c)
				image = image.Crash(1, mappedtest.Nothing)
			}
		})
	}
}
