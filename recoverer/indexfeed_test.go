package recoverer_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// TestIndexWithoutSpace: a full disk stalls the index, not the store; the report
// tells where it stands, and the next start fills it.
func TestIndexWithoutSpace(t *testing.T) {
	s := open(t, newFS())
	for i := range 90 {
		s.put(message("T", 0, i, 100))
	}
	s.close()
	remove(t, s.fs, s.layout.Index())
	base := s.fs.(*mappedtest.FS)
	script := mappedtest.NewScript(base, mappedtest.Rule{Op: mappedtest.OpAllocate, At: 3, Forever: true, Err: syscall.ENOSPC})
	s = open(t, script)
	if s.report.IndexErr == nil || !errors.Is(s.report.IndexErr, syscall.ENOSPC) || s.report.IndexFrom < 0 {
		t.Errorf("index from %d: %v", s.report.IndexFrom, s.report.IndexErr)
	}
	if got := s.read("T", 0); got != line(0, 90) {
		t.Errorf("read %s", got)
	}
	s.kill()
	for range 2 {
		s = open(t, base)
		for i := range 90 {
			if hits := s.hits("T", fmt.Sprintf("k%d", i)); len(hits) != 1 {
				t.Errorf("k%d is found at %v", i, hits)
			}
		}
		s.kill()
	}
}

// TestDeferredIndex: the caller gets the place from which records are missing,
// and putting them from there makes it whole.
func TestDeferredIndex(t *testing.T) {
	s := open(t, newFS())
	for i := range 90 {
		s.put(message("T", 0, i, 100))
	}
	s.close()
	remove(t, s.fs, s.layout.Index())
	s = open(t, s.fs, func(_ *store, in *recoverer.Input) { in.DeferIndex = 1 })
	if s.report.IndexFrom != 0 || s.report.Replayed != 0 {
		t.Errorf("index from %d, %d bytes replayed", s.report.IndexFrom, s.report.Replayed)
	}
	if hits := s.hits("T", "k1"); len(hits) != 0 {
		t.Errorf("k1 is found at %v", hits)
	}
	s.kill()
	s = open(t, s.fs)
	if s.report.IndexFrom != -1 || len(s.hits("T", "k1")) != 1 || len(s.hits("T", "k89")) != 1 {
		t.Errorf("index from %d, k1 %v", s.report.IndexFrom, s.hits("T", "k1"))
	}
}

// TestPlanSaysWhy in words for an operator.
func TestPlanSaysWhy(t *testing.T) {
	s := open(t, newFS())
	for i := range 10 {
		s.put(message("T", 0, i, 100))
	}
	s.close()
	plan := func() recoverer.Plan {
		r, err := openFiles(t, s.fs, true)
		if err != nil {
			t.Fatal(err)
		}
		defer r.release()
		in := r.input
		p, err := recoverer.MakePlan(&in)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if p := plan(); !p.Trusted || !p.Own || p.Mark == nil || p.WhyAll != "" {
		t.Errorf("%+v", p)
	}
	remove(t, s.fs, s.layout.QueuesFile())
	if p := plan(); p.Trusted || p.Mark == nil || !strings.Contains(p.WhyAll, "no queue summary") {
		t.Errorf("%+v", p)
	}
	before, _, err := checkpoint.ReadCheckpoint(s.fs, s.layout.CheckpointFile())
	if err != nil {
		t.Fatal(err)
	}
	set := func(c checkpoint.Checkpoint) {
		if err := checkpoint.WriteCheckpoint(s.fs, s.layout.CheckpointFile(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := checkpoint.CreateAbort(s.fs, s.layout, 1); err != nil {
		t.Fatal(err)
	}
	set(checkpoint.Checkpoint{})
	if p := plan(); p.Mark == nil || p.Mark.FlushedEnd == 0 {
		t.Errorf("stopped between mark and checkpoint: %+v", p)
	}
	before.PhysicMsgTimestamp++
	set(before)
	if p := plan(); p.Mark != nil || !strings.Contains(p.WhyNoMark, "another engine") || p.ScanFrom != 0 {
		t.Errorf("%+v", p)
	}
	remove(t, s.fs, s.layout.MarkFile())
	if p := plan(); p.Mark != nil || !strings.Contains(p.WhyAll, "there is none") {
		t.Errorf("%+v", p)
	}
	if _, err := recoverer.Recover(context.Background(), recoverer.Input{}); err == nil {
		t.Error("an empty input is taken")
	}
}
