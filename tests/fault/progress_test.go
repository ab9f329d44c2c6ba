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
