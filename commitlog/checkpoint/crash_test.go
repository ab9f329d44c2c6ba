package checkpoint_test

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// crashes runs check on the image after a power cut before each call that do
// makes, in every mode, and at the end. acked is how many of do's steps had
// returned.
func crashes(t *testing.T, steps []func(mapped.FS, checkpoint.Layout) error,
	check func(t *testing.T, image *mappedtest.FS, l checkpoint.Layout, acked int)) {
	t.Helper()
	layout := checkpoint.NewLayout("/store", "")
	for k := 1; ; k++ {
		disk := mappedtest.NewFS()
		if err := disk.MkdirAll(layout.Root); err != nil {
			t.Fatal(err)
		}
		acked, reached := 0, false
		cut := func() {
			reached = true
			for _, mode := range mappedtest.Modes() {
				for seed := range uint64(3) {
					check(t, disk.Crash(seed, mode), layout, acked)
				}
			}
		}
		script := mappedtest.NewScript(disk, mappedtest.Rule{At: k, Before: cut})
		for _, step := range steps {
			if err := step(script, layout); err != nil {
				t.Fatal(err)
			}
			acked++
		}
		if !reached {
			cut()
			return
		}
		if t.Failed() {
			t.Fatalf("cut before %v", script.Trace()[k-1])
		}
	}
}

// Whenever the power goes: the mark is the last that was acknowledged or the one
// being written, and one that is whole matches the checkpoint beside it.
func TestMarkAndCheckpointSurviveAPowerCut(t *testing.T) {
	var steps []func(mapped.FS, checkpoint.Layout) error
	fields := func(i int) checkpoint.Checkpoint {
		return checkpoint.Checkpoint{PhysicMsgTimestamp: int64(i), LogicsPhysicalOffset: int64(i)}
	}
	for i := 1; i <= 4; i++ {
		steps = append(steps, func(f mapped.FS, l checkpoint.Layout) error {
			return checkpoint.WriteMark(f, l, checkpoint.Mark{FlushedEnd: int64(i), LastRecordStart: -1, Fields: fields(i).Digest()})
		}, func(f mapped.FS, l checkpoint.Layout) error {
			return checkpoint.WriteCheckpoint(f, l.CheckpointFile(), fields(i))
		})
	}
	crashes(t, steps, func(t *testing.T, image *mappedtest.FS, l checkpoint.Layout, acked int) {
		marks, err := checkpoint.ReadMarks(image, l)
		if err != nil {
			t.Fatal(err)
		}
		var newest int64
		if len(marks) > 0 {
			newest = marks[0].FlushedEnd
		}
		if low, high := int64((acked+1)/2), int64(acked/2+1); newest < low || newest > high {
			t.Errorf("after %d steps: mark %d, want %d..%d", acked, newest, low, high)
		}
		c, _, err := checkpoint.ReadCheckpoint(image, l.CheckpointFile())
		if err != nil || c != fields(int(c.PhysicMsgTimestamp)) || c.PhysicMsgTimestamp < int64(acked/2) {
			t.Errorf("after %d steps: checkpoint %+v, %v", acked, c, err)
		}
		for _, m := range marks {
			if m.Matches(c) {
				return
			}
		}
		if c.PhysicMsgTimestamp > 0 {
			t.Errorf("after %d steps: no mark of %+v matches %+v", acked, marks, c)
		}
	})
}

func TestReplacedFilesSurviveAPowerCut(t *testing.T) {
	write := func(i int64) func(mapped.FS, checkpoint.Layout) error {
		return func(f mapped.FS, l checkpoint.Layout) error {
			s := &checkpoint.QueueSummary{Dispatched: i}
			for range 300 {
				s.Queues = append(s.Queues, checkpoint.QueueEnd{Topic: strings.Repeat("t", 20), MaxOffset: i})
			}
			return checkpoint.WriteQueues(f, l, s)
		}
	}
	crashes(t, []func(mapped.FS, checkpoint.Layout) error{checkpoint.Prepare, write(1), write(2), write(3)},
		func(t *testing.T, image *mappedtest.FS, l checkpoint.Layout, acked int) {
			s, err := checkpoint.ReadQueues(image, l)
			if err != nil {
				t.Errorf("after %d steps: %v", acked, err)
			}
			var got int
			if s != nil {
				got = int(s.Dispatched)
			}
			if got < acked-1 || got > max(acked, 0) {
				t.Errorf("after %d steps: summary %d", acked, got)
			}
			if err := checkpoint.Prepare(image, l); err != nil {
				t.Error(err)
			}
			if left, err := image.ReadDir(l.Tmp()); err != nil || len(left) != 0 {
				t.Errorf("left over: %v %v", left, err)
			}
		})
}

func TestAbortSurvivesAPowerCut(t *testing.T) {
	crashes(t, []func(mapped.FS, checkpoint.Layout) error{
		func(f mapped.FS, l checkpoint.Layout) error { return checkpoint.CreateAbort(f, l, 17) },
		func(f mapped.FS, l checkpoint.Layout) error { return checkpoint.RemoveAbort(f, l) },
	}, func(t *testing.T, image *mappedtest.FS, l checkpoint.Layout, acked int) {
		has, err := checkpoint.HasAbort(image, l)
		if err != nil || acked == 2 && has {
			t.Errorf("after %d steps: %v %v", acked, has, err)
		}
	})
	// Created and not removed: there, whatever the cut.
	crashes(t, []func(mapped.FS, checkpoint.Layout) error{
		func(f mapped.FS, l checkpoint.Layout) error { return checkpoint.CreateAbort(f, l, 17) },
	}, func(t *testing.T, image *mappedtest.FS, l checkpoint.Layout, acked int) {
		if has, err := checkpoint.HasAbort(image, l); err != nil || acked == 1 && !has {
			t.Errorf("after %d steps: %v %v", acked, has, err)
		}
	})
}

func TestAsideSurvivesAPowerCut(t *testing.T) {
	cut := append(bytes.Repeat([]byte("x"), 9000), make([]byte, 9000)...)
	path := ""
	crashes(t, []func(mapped.FS, checkpoint.Layout) error{
		func(f mapped.FS, l checkpoint.Layout) (err error) {
			path, err = checkpoint.Aside(f, l, "tail", bytes.NewReader(cut))
			return err
		},
	}, func(t *testing.T, image *mappedtest.FS, l checkpoint.Layout, acked int) {
		if acked == 0 {
			return
		}
		f, err := image.OpenFile(path, os.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		got := make([]byte, len(cut))
		if _, err := f.ReadAt(got, 0); err != nil || !bytes.Equal(got, cut) {
			t.Errorf("bytes are not what was kept: %v", err)
		}
	})
}
