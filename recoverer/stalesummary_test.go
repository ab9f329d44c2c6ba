package recoverer_test

import (
	"context"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/recoverer"
)

// TestSummaryOfAnotherLog: RocketMQ has cut a log of ours below the end of its
// summary and has written on. Our opening was cut behind its mark and in front of its
// summary; with the new mark the old summary counted again, and the next opening
// began to read in the middle of a record.
func TestSummaryOfAnotherLog(t *testing.T) {
	for _, killed := range []bool{false, true} {
		fsys := newFS()
		s := open(t, fsys)
		var fifth int64
		for i := range 10 {
			a := s.put(message("T", 0, i, 200))
			if i == 5 {
				fifth = a.PhysicalOffset
			}
		}
		d1 := s.log.Flushed()
		s.close()

		// RocketMQ cuts log and queue at message 5, and writes 5 to 9, three of another
		// queue, and on until the log is longer than it was.
		overwrite(t, fsys, s.segment(0), fifth, make([]byte, segmentSize-fifth))
		r, err := openFiles(t, fsys, false)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.queues.Queue("T", 0).Load(); err != nil {
			t.Fatal(err)
		}
		if err := r.queues.Queue("T", 0).TruncateTo(5); err != nil {
			t.Fatal(err)
		}
		r.log.Restore(0, fifth, fifth)
		offs := newOffsets("T", 5)
		r.append = r.log.Appender(r.log.Allocator(), offs)
		r.sync = r.log.Syncer()
		r.now = startTime + 100000
		for i := 5; i < 10; i++ {
			r.put(message("T", 0, i, 5))
		}
		for i := range 3 {
			r.put(message("N", 0, i, 5))
		}
		if r.log.Appended() > d1 {
			t.Fatalf("N must lie below %d: %d", d1, r.log.Appended())
		}
		for i := 10; r.log.Appended() < d1+300; i++ {
			r.put(message("T", 0, i, 20))
		}
		// A power cut takes the queue that was not flushed yet.
		if err := r.queues.Queue("N", 0).Destroy(); err != nil {
			t.Fatal(err)
		}
		c := r.fields
		c.PhysicMsgTimestamp = r.now
		if err := checkpoint.WriteCheckpoint(fsys, r.layout.CheckpointFile(), c); err != nil {
			t.Fatal(err)
		}
		if err := checkpoint.CreateAbort(fsys, r.layout, 1); err != nil {
			t.Fatal(err)
		}
		r.release()

		if killed {
			x, err := openFiles(t, fsys, false)
			if err != nil {
				t.Fatal(err)
			}
			ctx, cancel := context.WithCancel(context.Background())
			x.input.Progress = func(p recoverer.Progress) {
				if p.Phase == recoverer.PhaseQueues {
					cancel()
				}
			}
			if _, err = recoverer.Recover(ctx, x.input); err == nil {
				t.Fatal("the first opening was not cut")
			}
			x.release()
		}
		s = open(t, fsys)
		if got := s.read("T", 0); strings.Contains(got, "!") {
			t.Errorf("killed %v: T reads %q: a whole record is taken for damage", killed, got)
		}
		if got := s.read("N", 0); got != line(0, 3) {
			t.Errorf("killed %v: N reads %q, want %q", killed, got, line(0, 3))
		}
		s.close()
	}
}

func newOffsets(topic string, next int64) *commitlog.OffsetTable {
	o := commitlog.NewOffsetTable()
	*o.Next(topic, 0) = next
	return o
}
