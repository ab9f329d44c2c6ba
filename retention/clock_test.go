package retention

import (
	"testing"
	"time"
)

// world is a store that rolls one segment an hour, with a wall clock that may be
// off and a monotonic one that is not.
type world struct {
	t       *testing.T
	c       *Core
	s       State
	truth   time.Time     // what time it is
	off     time.Duration // how far the wall clock is off
	opened  time.Time
	written map[int64]time.Time // true time of each segment's last record
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, truth: noon, written: map[int64]time.Time{}}
	w.s = State{LogDisk: disk(10), QueueDisk: disk(10), Manual: true, Segments: []Segment{{Size: 100}}}
	w.open()
	return w
}

func (w *world) open() { w.c, w.opened = core(w.t, nil), w.truth }

func (w *world) wall() time.Time { return w.truth.Add(w.off) }

// hours lets time pass: each hour a segment is filled and a step is made.
func (w *world) hours(n int) {
	w.t.Helper()
	for range n {
		w.truth = w.truth.Add(hour)
		last := &w.s.Segments[len(w.s.Segments)-1]
		last.Last = w.wall().UnixMilli()
		w.written[last.Offset] = w.truth
		w.s.Newest = last.Last
		w.s.Segments = append(w.s.Segments, Segment{Offset: last.End(), Size: 100})
		end := last.End() + 1
		w.s.Appended, w.s.Flushed, w.s.Confirm, w.s.Dispatched = end, end, end, end
		w.step()
	}
}

// idle lets time pass without puts.
func (w *world) idle(d time.Duration) {
	w.t.Helper()
	w.truth = w.truth.Add(d)
	w.step()
}

// step carries out a step and insists that nothing is deleted before its time.
func (w *world) step() {
	w.t.Helper()
	for {
		d := w.c.Step(w.s, Now{Wall: w.wall(), Elapsed: w.truth.Sub(w.opened)})
		for _, e := range d.Expired {
			if age := w.truth.Sub(w.written[e.Offset]); age < 72*hour {
				w.t.Fatalf("segment %d deleted at the age of %v", e.Offset, age)
			}
		}
		w.s.Segments = w.s.Segments[len(d.Expired):]
		if !d.More {
			return
		}
	}
}

// kept insists on how many complete segments there are.
func (w *world) kept(min, max int) {
	w.t.Helper()
	if n := len(w.s.Segments) - 1; n < min || n > max {
		w.t.Errorf("%d segments kept, want %d to %d", n, min, max)
	}
}

func TestSteadyClock(t *testing.T) {
	w := newWorld(t)
	w.hours(200)
	w.kept(71, 73)
	w.open() // a restart changes nothing
	w.hours(10)
	w.kept(71, 73)
}

// TestJumpAhead: the clock is set years ahead while the store runs, for good.
func TestJumpAhead(t *testing.T) {
	w := newWorld(t)
	w.hours(100)
	w.off = 5 * 365 * 24 * hour
	w.step()
	w.kept(71, 73)
	w.hours(40)
	w.kept(71, 73) // retention goes on at its own pace
	w.hours(100)
	w.kept(71, 73)
}

// TestJumpBeforeTheFirstStep: the clock is set ahead, and messages are put by it,
// after the store was opened and before the first look at its segments.
func TestJumpBeforeTheFirstStep(t *testing.T) {
	w := newWorld(t)
	w.hours(100)
	w.open()
	w.c.Open(w.s.Appended, Now{Wall: w.wall()})
	w.off = 365 * 24 * hour
	for range 2 { // two more segments, the first of them begun before
		w.truth = w.truth.Add(time.Second)
		last := &w.s.Segments[len(w.s.Segments)-1]
		last.Last, w.s.Newest = w.wall().UnixMilli(), w.wall().UnixMilli()
		w.written[last.Offset] = w.truth
		w.s.Segments = append(w.s.Segments, Segment{Offset: last.End(), Size: 100})
		end := last.End() + 1
		w.s.Appended, w.s.Flushed, w.s.Confirm, w.s.Dispatched = end, end, end, end
	}
	w.step()
	w.kept(73, 75)
	w.hours(100)
	w.kept(71, 75)
}

// TestJumpAheadAndBack: records of the future do not stay for ever.
func TestJumpAheadAndBack(t *testing.T) {
	w := newWorld(t)
	w.hours(80)
	w.off = 365 * 24 * hour
	w.hours(5)
	w.off = 0
	w.hours(5)
	w.kept(71, 73)
	w.hours(100)
	w.kept(71, 73)
}

// TestOpenedAhead: the clock is wrong when the store is opened, and is put right
// later or never.
func TestOpenedAhead(t *testing.T) {
	for _, fixed := range []bool{true, false} {
		w := newWorld(t)
		w.hours(100)
		w.off = 10 * 365 * 24 * hour
		w.open()
		w.step()
		w.kept(71, 73)
		w.hours(10)
		if fixed {
			w.off = 0
		}
		w.hours(200)
		w.kept(71, 73)
	}
}

// TestSetBack: a clock that was set back, by a restart or in between, makes young
// data look old.
func TestSetBack(t *testing.T) {
	for _, reopen := range []bool{false, true} {
		w := newWorld(t)
		w.hours(100)
		w.off = -400 * 24 * hour
		if reopen {
			w.open()
		}
		w.hours(100)
		w.off = 0
		w.step()
		w.hours(100)
		w.kept(60, 80)
	}
}

// TestBootIn1970: a machine without a clock battery.
func TestBootIn1970(t *testing.T) {
	w := newWorld(t)
	w.hours(100)
	w.off = time.Unix(1000, 0).Sub(w.truth)
	w.open()
	w.step()
	w.off = 0
	w.hours(200)
	w.kept(71, 73)
}

// TestLongStop: what was old when the store stopped goes at once, the rest after
// the store has run long enough.
func TestLongStop(t *testing.T) {
	w := newWorld(t)
	w.hours(100)
	w.truth = w.truth.Add(365 * 24 * hour)
	w.open()
	w.step()
	w.kept(71, 73)
	w.idle(30 * hour)
	w.kept(40, 45)
	w.idle(43 * hour)
	w.kept(0, 1)
}

// TestReceived: on a slave the records are older than their arrival.
func TestReceived(t *testing.T) {
	c := core(t, nil)
	s := aged(200)
	s.Segments = s.Segments[1:]
	s.Segments[0].Offset, s.Received = 0, true
	s.Appended, s.Flushed, s.Confirm, s.Dispatched = 50, 50, 50, 50
	c.Step(s, Now{Wall: noon})
	// A segment of last week arrives.
	s.Segments = []Segment{{Offset: 0, Size: 100, Last: noon.Add(-200 * hour).UnixMilli()}, {Offset: 100, Size: 100}}
	s.Appended, s.Flushed, s.Confirm, s.Dispatched = 150, 150, 150, 150
	now := Now{Wall: noon.Add(hour), Elapsed: hour}
	if d := c.Step(s, now); d.ExpireBelow != 100 {
		t.Errorf("old by its records: %+v", d)
	}
	s.Received = false
	if d := c.Step(s, now); d.ExpireBelow != 0 {
		t.Errorf("stamped here an hour ago: %+v", d)
	}
}

// TestFutureRecords: records of the future, left by an earlier run, do not make a
// later jump of the clock believable.
func TestFutureRecords(t *testing.T) {
	w := newWorld(t)
	w.hours(80)
	w.off = 240 * hour
	w.hours(2)
	w.off = 0
	w.hours(3)
	w.open()
	w.step()
	w.off = 480 * hour
	w.step()
	w.kept(71, 73)
}

// TestOpenedAheadAtTheEndOfASegment: the log ended with its only segment when the
// store was opened by a clock that was set ahead; what that segment says of the
// time did not count if a message came before the first look.
func TestOpenedAheadAtTheEndOfASegment(t *testing.T) {
	w := newWorld(t)
	w.truth = w.truth.Add(hour)
	w.s.Segments[0].Last = w.wall().UnixMilli()
	w.written[0] = w.truth
	w.off = 365 * 24 * hour
	w.open()
	w.c.Open(w.s.Segments[0].End(), Now{Wall: w.wall()})
	w.s.Segments = append(w.s.Segments, Segment{Offset: 100, Size: 100, Last: w.wall().UnixMilli()})
	w.s.Appended, w.s.Flushed, w.s.Confirm, w.s.Dispatched = 150, 150, 150, 150
	w.step()
	w.kept(1, 1)
}
