package progress_test

import (
	"errors"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/progress"
)

// A mark follows what was flushed, and the page goes with it.
func TestMarkFollowsTheLog(t *testing.T) {
	b := begin(t, func(o *progress.Options) { o.SyncFlush = true })
	for round := range 20 {
		b.put(1)
		noErr(t, b.pass()) // not flushed: no mark claims it
		if m, _ := b.mark(); round > 0 && m.FlushedEnd >= b.log.Appended() {
			t.Fatalf("round %d: the mark claims %d, flushed is %d", round, m.FlushedEnd, b.log.Flushed())
		}
		b.flush()
		noErr(t, b.pass())
		m, counts := b.mark()
		if !counts || m.FlushedEnd != b.log.Appended() || m.LastRecordStart != b.last.Start || !m.Sync {
			t.Fatalf("round %d: mark %+v, counts %t", round, m, counts)
		}
		equal(t, "PhysicMsgTimestamp", b.page().PhysicMsgTimestamp, b.last.StoreTimestamp)
		equal(t, "proven", b.w.Proven(), b.last.Start)
	}
}

// Where nothing was flushed nothing is written.
func TestNothingDue(t *testing.T) {
	b := begin(t)
	b.put(5)
	b.flush()
	noErr(t, b.pass())
	calls := b.script.Calls()
	for range 200 {
		noErr(t, b.pass())
	}
	if n := b.script.Calls() - calls; n != 0 {
		t.Errorf("%d calls to the disk with nothing to write:\n%s", n, b.script.TraceString())
	}
}

// counts wants one of the marks on disk to count.
func (b *bed) counts(when string) {
	b.Helper()
	marks, err := checkpoint.ReadMarks(b.disk, b.layout)
	noErr(b, err)
	page := b.page()
	for _, m := range marks {
		if m.Matches(page) {
			return
		}
	}
	b.Fatalf("%s: none of %+v counts with %+v", when, marks, page)
}

// At every call to the disk one of the marks counts (P1), whichever call fails,
// however much of it has landed; and what failed is made good by the next pass
// (P4).
func TestMarkCountsWhateverFails(t *testing.T) {
	for _, landed := range []int{0, 1 << 20} {
		for at := 1; ; at++ {
			b := begin(t)
			b.put(3)
			b.flush()
			noErr(t, b.pass())
			calls, hit := 0, false
			look := func() { b.counts("call") }
			for range 3 {
				b.put(1)
				b.flush()
				b.now = b.now.Add(interval)
				b.script.Add(mappedtest.Rule{At: at - calls, Err: eio, Landed: landed, Short: landed, Before: look, Then: func() { hit = true; look() }},
					mappedtest.Rule{Forever: true, Before: look, Then: look})
				calls -= b.script.Calls()
				if err := b.pass(); err != nil && !errors.Is(err, eio) {
					t.Fatalf("call %d: %v", at, err)
				}
				calls += b.script.Calls()
				b.script.Clear()
				if hit {
					break
				}
			}
			if !hit {
				if at < 30 {
					t.Fatalf("only %d calls", at)
				}
				break
			}
			b.put(1)
			b.flush()
			b.script.Add(mappedtest.Rule{Forever: true, Before: look, Then: look})
			noErr(t, b.pass())
			if m, counts := b.mark(); !counts || m.FlushedEnd != b.log.Flushed() {
				t.Fatalf("call %d: healed, and the mark is %+v, counts %t, flushed %d", at, m, counts, b.log.Flushed())
			}
			b.counts("healed")
		}
	}
}

// A page that failed is written before the next mark: else two marks would wait
// for pages, and none of the pages would be the one on disk.
func TestPageThatFailedComesFirst(t *testing.T) {
	b := begin(t)
	b.put(1)
	b.flush()
	noErr(t, b.pass())
	first := b.w.Proven()
	b.script.Add(mappedtest.Rule{Op: mappedtest.OpWrite, Path: b.layout.CheckpointFile(), Err: eio, Forever: true})
	for range 4 {
		b.put(1)
		b.flush()
		wantErr(t, b.pass(), eio)
		b.counts("without its page")
		equal(t, "proven", b.w.Proven(), first)
	}
	b.script.Clear()
	noErr(t, b.pass())
	if m, counts := b.mark(); !counts || m.FlushedEnd != b.log.Flushed() {
		t.Errorf("mark %+v, counts %t", m, counts)
	}
	equal(t, "proven", b.w.Proven(), b.last.Start)
}

// A store whose end is in doubt was opened read-only. A second later a mark said
// that it ends there: the next start had no doubt, cut queues and index, and gave
// out their offsets again.
func TestReadOnlyIsLeftAsItIs(t *testing.T) {
	b := begin(t, func(o *progress.Options) {
		o.ReadOnly, o.Remember = true, func() error { t.Error("something is remembered"); return nil }
	})
	b.put(5)
	b.flush()
	calls := b.script.Calls()
	noErr(t, b.pass())
	noErr(t, b.w.Finish(b.look(), b.now))
	if n := b.script.Calls() - calls; n != 0 {
		t.Errorf("%d calls to the disk:\n%s", n, b.script.TraceString())
	}
}

// What else is kept is written behind the mark, also if the mark fails; and not at
// an end that is none.
func TestRememberComesLast(t *testing.T) {
	told := 0
	b := begin(t, func(o *progress.Options) { o.Remember = func() error { told++; return nil } })
	b.put(1)
	b.flush()
	noErr(t, b.pass())
	b.put(1)
	b.flush()
	b.script.Add(mappedtest.Rule{Op: mappedtest.OpWrite, Path: b.layout.MarkFile(), Err: eio})
	wantErr(t, b.pass(), eio)
	equal(t, "times told", told, 2)
	b.script.Add(mappedtest.Rule{Op: mappedtest.OpRename, Path: b.layout.QueuesFile(), Err: eio})
	b.put(1)
	b.flush()
	wantErr(t, b.w.Finish(b.look(), b.now), eio)
	equal(t, "times told", told, 2)
	noErr(t, b.w.Finish(b.look(), b.now))
	equal(t, "times told", told, 3)
}
