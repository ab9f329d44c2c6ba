package recoverer_test

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// TestPageCacheIsNotBelieved: after a failed sync the records are in the cache
// and not on disk (A3). Recovery writes them again before it counts on them.
func TestPageCacheIsNotBelieved(t *testing.T) {
	for _, marked := range []bool{true, false} {
		fsys := newFS()
		script := mappedtest.NewScript(fsys)
		s := open(t, script)
		for i := range 10 {
			s.put(message("T", 0, i, 100))
		}
		if marked {
			s.summary()
			s.mark()
		}
		for i := range 5 {
			s.add(message("T", 0, 10+i, 100))
		}
		script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Path: mapped.Name(0), Err: syscall.EIO})
		if err := s.sync.Flush(); err == nil {
			t.Fatal("the flush did not fail")
		}
		script.Clear()
		s.kill()
		s = open(t, fsys)
		n := strings.Count(s.read("T", 0), ":")
		if n != 15 {
			t.Errorf("marked %v: %d messages", marked, n)
		}
		s.kill()
		after := fsys.DropCaches()
		check(t, after, map[string]int{"T-0": n})

		// And if they cannot be written again, the log ends where it is proven.
		failing := mappedtest.NewScript(fsys.Kill())
		s = open(t, failing)
		s.kill()
	}
}

// TestQueuePageCacheIsNotBelieved: after a sync that failed a page of units in
// the middle of a file is in the cache and not on disk. Recovery writes it again
// before a summary claims its units.
func TestQueuePageCacheIsNotBelieved(t *testing.T) {
	fsys := newFS()
	script := mappedtest.NewScript(fsys)
	s := open(t, script, largeQueueFiles)
	puts := func(from, to int) {
		for i := from; i < to; i++ {
			s.put(message("T", 0, i, 10))
		}
	}
	puts(0, 10)
	s.summary()
	s.mark()
	puts(10, 205) // the first page, and 4 bytes
	if _, err := s.queues.Sync(); err != nil {
		t.Fatal(err)
	}
	puts(205, 410) // the second, and 8 bytes
	script.Add(mappedtest.Rule{Op: mappedtest.OpDatasync, Err: syscall.EIO})
	if _, err := s.queues.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("the sync of the queue: %v", err)
	}
	script.Clear()
	puts(410, 700)
	s.kill()
	s = open(t, fsys, largeQueueFiles)
	if got := s.read("T", 0); got != line(0, 700) {
		t.Errorf("read %s", got)
	}
	s.close()
	check(t, fsys.DropCaches(), map[string]int{"T-0": 700}, largeQueueFiles)
}

// TestRewriteFails: the log is read-only and ends at what is proven.
func TestRewriteFails(t *testing.T) {
	s := open(t, newFS())
	for i := range 10 {
		s.put(message("T", 0, i, 100))
	}
	s.summary()
	s.mark()
	proven := s.log.Flushed()
	for i := range 5 {
		s.put(message("T", 0, 10+i, 100))
	}
	s.kill()
	base := s.fs.(*mappedtest.FS)
	for _, op := range []mappedtest.Op{mappedtest.OpWrite, mappedtest.OpDatasync} {
		image := base.Kill()
		script := mappedtest.NewScript(image, mappedtest.Rule{Op: op, Path: mapped.Name(0), Err: syscall.EIO})
		s = open(t, script)
		if s.report.ReadOnly == nil || s.log.Failed() == nil {
			t.Fatalf("%s: the log takes puts", op)
		}
		if s.report.End != proven {
			t.Errorf("%s: end %d, want %d", op, s.report.End, proven)
		}
		if got := s.read("T", 0); !strings.HasPrefix(got, line(0, 10)) {
			t.Errorf("%s: read %s", op, got)
		}
		s.kill()
		check(t, image.Kill(), map[string]int{"T-0": 15})
	}
}

// TestLostWrite: in a log of ours zeros in whole sectors are a write that a
// power cut lost; under SYNC_FLUSH a queue unit behind them proves otherwise.
func TestLostWrite(t *testing.T) {
	build := func(t *testing.T, options ...option) (*store, int64) {
		s := open(t, newFS(), options...)
		var hole int64
		for i := range 5 {
			s.put(message("T", 0, i, 100))
		}
		s.summary()
		s.mark()
		for i := range 15 {
			a := s.put(message("T", 0, 5+i, 150))
			if i == 5 {
				hole = (a.PhysicalOffset + 511) / 512 * 512
			}
		}
		s.kill()
		overwrite(t, s.fs, s.segment(hole), hole%segmentSize, make([]byte, 512))
		s.fs = cut(s.fs)
		return s, hole
	}
	t.Run("async", func(t *testing.T) {
		s, hole := build(t)
		s = open(t, s.fs, syncFlush)
		if s.report.End > hole || s.report.ReadOnly != nil || len(s.report.Aside) == 0 {
			t.Errorf("end %d, hole at %d, aside %v", s.report.End, hole, s.report.Aside)
		}
		got := s.read("T", 0)
		if got != line(0, strings.Count(got, ":")) {
			t.Errorf("read %s", got)
		}
	})
	t.Run("sync and dispatched", func(t *testing.T) {
		s, hole := build(t, syncFlush)
		s = open(t, s.fs) // the mark tells, not how it is opened now
		if s.report.End <= hole || len(s.report.Damage) != 1 {
			t.Errorf("end %d, hole at %d, damage %v", s.report.End, hole, s.report.Damage)
		}
		if got := s.read("T", 0); !strings.HasSuffix(got, line(18, 20)) || strings.Count(got, "!") > 5 {
			t.Errorf("read %s", got)
		}
	})
	t.Run("no sector of zeros", func(t *testing.T) {
		s, hole := build(t)
		overwrite(t, s.fs, s.segment(hole), hole%segmentSize, []byte(strings.Repeat("damaged!", 64)))
		s = open(t, s.fs)
		if s.report.End <= hole || len(s.report.Damage) != 1 {
			t.Errorf("end %d, hole at %d, damage %v", s.report.End, hole, s.report.Damage)
		}
	})
}

// TestCutBetweenMarkAndCheckpoint: the newest mark does not match the page yet,
// but the one before does, and the log is still known to be ours.
func TestCutBetweenMarkAndCheckpoint(t *testing.T) {
	for _, marks := range []int{0, 3} {
		s := open(t, newFS())
		for i := range 10 {
			s.put(message("T", 0, i, 100))
			if i < marks {
				s.mark()
			}
		}
		page := contents(t, s.fs, s.layout.MarkFile())
		old := map[string]string{}
		if marks > 0 {
			old[s.layout.CheckpointFile()] = string(contents(t, s.fs, s.layout.CheckpointFile()))
		}
		s.mark()
		if string(page) == string(contents(t, s.fs, s.layout.MarkFile())) {
			t.Fatal("no mark was written")
		}
		remove(t, s.fs, s.layout.CheckpointFile())
		for path, b := range old {
			create(t, s.fs, path, []byte(b))
		}
		s.kill()
		s = open(t, s.fs)
		if p := s.report.Plan; !p.Own || p.Mark == nil {
			t.Errorf("%d marks before: %+v", marks, p)
		}
		if got := s.read("T", 0); got != line(0, 10) {
			t.Errorf("read %s", got)
		}
	}
}

// TestCancel: a context that ends stops recovery and harms nothing.
func TestCancel(t *testing.T) {
	fsys := newFS()
	acked := workloads[2].make(t, fsys)
	s, err := openFiles(t, fsys.Kill(), false)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := recoverer.Recover(ctx, s.input); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	s.release()
	check(t, s.fs, acked)
}

// TestProgress: phases come in order and reach their totals.
func TestProgress(t *testing.T) {
	fsys, _ := sixteen(t)
	var seen []recoverer.Progress
	s := open(t, fsys, func(_ *store, in *recoverer.Input) {
		in.Progress = func(p recoverer.Progress) { seen = append(seen, p) }
	})
	last := map[recoverer.Phase]recoverer.Progress{}
	for _, p := range seen {
		if p.Done < last[p.Phase].Done || p.Done > p.Total {
			t.Errorf("%+v after %+v", p, last[p.Phase])
		}
		last[p.Phase] = p
	}
	for _, phase := range []recoverer.Phase{recoverer.PhaseScan, recoverer.PhaseReplay} {
		if p := last[phase]; p.Done != p.Total || p.Total != s.report.End {
			t.Errorf("%s ends at %+v of %d", phase, p, s.report.End)
		}
	}
}
