package progress_test

import (
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/progress"
)

// A summary comes at its interval, and the page tells RocketMQ of it.
func TestSummaryAtItsInterval(t *testing.T) {
	b := begin(t)
	b.put(10)
	b.flush()
	noErr(t, b.pass())
	first := b.log.Appended()
	equal(t, "claimed at first", b.claimed(), first)
	equal(t, "LogicsPhysicalOffset", b.page().LogicsPhysicalOffset, b.last.Start)
	equal(t, "LogicsMsgTimestamp", b.page().LogicsMsgTimestamp, b.last.StoreTimestamp)
	for second := time.Second; second < interval; second += time.Second {
		b.put(1)
		b.flush()
		noErr(t, b.pass())
		if at := b.claimed(); at != first {
			t.Fatalf("after %v it claims %d", second, at)
		}
	}
	b.put(1)
	b.flush()
	noErr(t, b.pass())
	equal(t, "claimed an interval later", b.claimed(), b.log.Appended())
	s, err := checkpoint.ReadQueues(b.disk, b.layout)
	noErr(t, err)
	for i, q := range s.Queues {
		equal(t, "end of a queue", q.MaxOffset, int64((b.n+2-i)/3))
	}
	equal(t, "queues", len(s.Queues), 3)
	equal(t, "index", s.IndexApplied, b.keys.Applied())
}

// A quarter of a GiB of log brings it forward.
func TestMuchLogBringsTheSummaryForward(t *testing.T) {
	b := begin(t)
	b.put(1)
	b.flush()
	noErr(t, b.pass())
	at := b.look()
	for _, behind := range []int64{256<<20 - 1, 256 << 20} {
		at.Queues = b.log.Appended() + behind
		noErr(t, b.w.Pass(at, b.now))
	}
	equal(t, "claimed", b.claimed(), b.log.Appended()+256<<20)
	if n := b.script.Count(mappedtest.OpRename); n < 2 {
		t.Fatalf("%d files renamed: the test tests nothing", n)
	}
}

// The records that units stand for are durable before the units are claimed (P2),
// those too that came between the look and the flush.
func TestSummaryWaitsForTheLog(t *testing.T) {
	b := begin(t)
	b.put(5)
	noErr(t, b.pass())
	equal(t, "claimed before the flush", b.claimed(), -1)
	taken := b.log.Appended()
	b.put(5)
	b.flush()
	noErr(t, b.pass())
	equal(t, "claimed", b.claimed(), taken) // what the look had seen, no more
}

// An index that is brought up while nothing is put is made durable at each interval:
// a power cut does not send it back to where it was at the opening.
func TestIndexCatchesUpInAnIdleStore(t *testing.T) {
	b := begin(t)
	b.put(10)
	b.flush()
	at := b.look()
	end := at.Index
	at.Index = 0
	noErr(t, b.w.Pass(at, b.now))
	claims := func() int64 {
		s, err := checkpoint.ReadQueues(b.disk, b.layout)
		noErr(t, err)
		return s.IndexApplied
	}
	equal(t, "claimed at first", claims(), 0)
	for _, applied := range []int64{end / 2, end} {
		at.Index = applied
		before := claims()
		b.now = b.now.Add(interval - time.Second)
		noErr(t, b.w.Pass(at, b.now))
		equal(t, "claimed before the interval is over", claims(), before)
		b.now = b.now.Add(time.Second)
		noErr(t, b.w.Pass(at, b.now))
		equal(t, "claimed", claims(), applied)
	}
	written := b.script.Count(mappedtest.OpRename)
	for range 3 {
		b.now = b.now.Add(interval)
		noErr(t, b.w.Pass(at, b.now))
	}
	equal(t, "files renamed when nothing moves", b.script.Count(mappedtest.OpRename), written)
}

// What a sink has not taken in is not claimed, of the page neither.
func TestParkedSinkIsNotClaimed(t *testing.T) {
	b := begin(t)
	b.put(5)
	b.flush()
	parked := b.shard.Applied()
	b.put(5)
	b.flush()
	at := b.look()
	at.Queues, at.Index = parked, parked-1
	noErr(t, b.w.Pass(at, b.now))
	s, err := checkpoint.ReadQueues(b.disk, b.layout)
	noErr(t, err)
	if s == nil || s.Dispatched != parked || s.IndexApplied != parked-1 {
		t.Fatalf("summary %+v, parked at %d", s, parked)
	}
	equal(t, "LogicsPhysicalOffset", b.page().LogicsPhysicalOffset, 0)
}

// A sync that failed is not tried again, and nothing is claimed any more (P3).
func TestNoSummaryBehindAFailedSync(t *testing.T) {
	for what, rule := range map[string]mappedtest.Rule{
		"queues": {Op: mappedtest.OpDatasync, Path: "queuefile-*", Err: eio},
		"index":  {Op: mappedtest.OpFlush, Path: "/store/index/*", Err: eio},
	} {
		t.Run(what, func(t *testing.T) {
			b := begin(t)
			b.put(10)
			b.flush()
			noErr(t, b.pass())
			before := b.claimed()
			b.put(10)
			b.flush()
			b.script.Add(rule)
			b.now = b.now.Add(interval)
			wantErr(t, b.pass(), eio)
			for range 3 {
				b.put(10)
				b.flush()
				b.now = b.now.Add(interval)
				noErr(t, b.pass())
				equal(t, "claimed", b.claimed(), before)
			}
			if m, counts := b.mark(); !counts || m.FlushedEnd != b.log.Flushed() {
				t.Errorf("the mark goes on without: %+v, counts %t", m, counts)
			}
			wantErr(t, b.w.Finish(b.look(), b.now), eio)
			equal(t, "claimed at the end", b.claimed(), before)
		})
	}
}

// A summary that could not be written is due again with the next look.
func TestSummaryThatFailed(t *testing.T) {
	b := begin(t)
	b.put(3)
	b.flush()
	b.script.Add(mappedtest.Rule{Op: mappedtest.OpRename, Path: b.layout.QueuesFile(), Err: eio})
	wantErr(t, b.pass(), eio)
	equal(t, "claimed", b.claimed(), -1)
	if m, counts := b.mark(); !counts || m.FlushedEnd != b.log.Flushed() {
		t.Errorf("the mark does not wait for it: %+v, counts %t", m, counts)
	}
	noErr(t, b.pass())
	equal(t, "claimed", b.claimed(), b.log.Appended())
}

// Behind Finish all that is flushed is written down, whatever was due.
func TestFinish(t *testing.T) {
	b := begin(t)
	b.put(3)
	b.flush()
	noErr(t, b.pass())
	b.put(3)
	b.flush()
	noErr(t, b.w.Finish(b.look(), b.now))
	m, counts := b.mark()
	if !counts || m.FlushedEnd != b.log.Appended() || b.claimed() != b.log.Appended() || b.page().LogicsPhysicalOffset != b.last.Start {
		t.Errorf("mark %+v, counts %t, claimed %d, page %+v", m, counts, b.claimed(), b.page())
	}
}

// A store without an index says so in its summary.
func TestWithoutIndex(t *testing.T) {
	b := begin(t, func(o *progress.Options) { o.Index = nil })
	b.put(3)
	b.flush()
	at := b.look()
	at.Index = -1
	noErr(t, b.w.Finish(at, b.now))
	s, err := checkpoint.ReadQueues(b.disk, b.layout)
	noErr(t, err)
	equal(t, "index", s.IndexApplied, -1)
	equal(t, "IndexMsgTimestamp", b.page().IndexMsgTimestamp, 0)
}
