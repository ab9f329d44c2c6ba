package consumequeue_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	cq "github.com/actorstore/actorstore/consumequeue"
)

// timed is a queue whose i-th unit, from offset start on, has the i-th time.
type timed struct {
	q     *cq.Queue
	fsys  *mappedtest.FS
	start int64
	times []int64
	calls int
}

func newTimed(t tb, start int64, times []int64) *timed {
	t.Helper()
	tq := &timed{fsys: mappedtest.NewFS(), start: start, times: times}
	s := open(t, options(tq.fsys))
	tq.q = ensure(t, s, "topic", 0, cq.Simple)
	var list []cq.Entry
	for i, at := range times {
		e := entry(start + int64(i))
		e.StoreTimestamp = at
		list = append(list, e)
	}
	noErr(t, tq.q.Append(list))
	return tq
}

func (tq *timed) timeOf(u cq.Unit) (int64, error) {
	tq.calls++
	return tq.times[(u.PhysicalOffset-1000)/recSize-tq.start], nil
}

func (tq *timed) ask(t tb, at int64) (lo, up int64) {
	t.Helper()
	lo, err := tq.q.OffsetByTime(at, cq.Lower, tq.timeOf)
	noErr(t, err)
	up, err = tq.q.OffsetByTime(at, cq.Upper, tq.timeOf)
	noErr(t, err)
	return lo, up
}

// model is the documented rule, by looking at everything.
func (tq *timed) model(at int64) (lo, up int64) {
	first, end := tq.q.MinOffset(), tq.q.MaxOffset()
	lo, up = end, end-1
	for i := end - 1; i >= first; i-- {
		if tq.times[i-tq.start] >= at {
			lo = i
		}
		if tq.times[i-tq.start] > at {
			up = i - 1
		}
	}
	return lo, max(up, first)
}

func (tq *timed) check(t tb, at int64) {
	t.Helper()
	lo, up := tq.ask(t, at)
	if wlo, wup := tq.model(at); lo != wlo || up != wup {
		t.Fatalf("time %d in [%d, %d): lower %d, upper %d, want %d, %d", at, tq.q.MinOffset(), tq.q.MaxOffset(), lo, up, wlo, wup)
	}
}

// What RocketMQ answers for times in order.
func TestOffsetByTime(t *testing.T) {
	tq := newTimed(t, 0, []int64{100, 100, 100, 110, 120, 120, 130, 200, 200, 200, 200, 200, 210, 300})
	for _, tt := range []struct{ at, lower, upper int64 }{
		{0, 0, 0}, {99, 0, 0}, {100, 0, 2}, {105, 3, 2}, {110, 3, 3}, {120, 4, 5}, {150, 7, 6},
		{200, 7, 11}, {205, 12, 11}, {299, 13, 12}, {300, 13, 13}, {301, 14, 13},
		{math.MaxInt64, 14, 13}, {math.MinInt64, 0, 0},
	} {
		if lo, up := tq.ask(t, tt.at); lo != tt.lower || up != tt.upper {
			t.Errorf("time %d: lower %d, upper %d, want %d, %d", tt.at, lo, up, tt.lower, tt.upper)
		}
	}
	noErr(t, tq.q.CorrectMin(physical(5)))
	for _, tt := range []struct{ at, lower, upper int64 }{{0, 5, 5}, {100, 5, 5}, {119, 5, 5}, {120, 5, 5}, {125, 6, 5}, {301, 14, 13}} {
		if lo, up := tq.ask(t, tt.at); lo != tt.lower || up != tt.upper {
			t.Errorf("min 5, time %d: lower %d, upper %d, want %d, %d", tt.at, lo, up, tt.lower, tt.upper)
		}
	}
	noErr(t, tq.q.CorrectMin(1<<40))
	if lo, up := tq.ask(t, 150); lo != 14 || up != 14 {
		t.Errorf("no live unit: lower %d, upper %d, want 14, 14", lo, up)
	}
	empty := newTimed(t, 0, nil)
	if lo, up := empty.ask(t, 5); lo != 0 || up != 0 {
		t.Errorf("empty queue: %d, %d", lo, up)
	}
}

func TestOffsetByTimeAsksFew(t *testing.T) {
	times := make([]int64, 50000)
	for i := range times {
		times[i] = 1e6 + int64(i)*3
	}
	tq := newTimed(t, 7, times)
	for i := 0; i < len(times); i += 4999 {
		tq.calls = 0
		lo, err := tq.q.OffsetByTime(times[i]+1, cq.Lower, tq.timeOf)
		noErr(t, err)
		if lo != 7+int64(i)+1 || tq.calls > 18 {
			t.Fatalf("%d with %d calls", lo, tq.calls)
		}
	}
	// Loaded from disk nothing is known of the order: a bounded look back.
	_, tq.q = reopen(t, tq.fsys)
	for i := 0; i < len(times); i += 4999 {
		tq.calls = 0
		lo, err := tq.q.OffsetByTime(times[i]+1, cq.Lower, tq.timeOf)
		noErr(t, err)
		if lo != 7+int64(i)+1 || tq.calls > 18+1024+64*7 {
			t.Fatalf("%d with %d calls", lo, tq.calls)
		}
	}
}

// F24: six files over six hours; only the records' times count, not those of
// the files; a clock that was set back is answered by the documented rule, the
// same before and after a restart.
func TestF24TimesOfFilesDoNotCount(t *testing.T) {
	for _, back := range []int64{0, 30000} {
		var times []int64
		for i := int64(0); i < 60; i++ {
			at := 1700000000000 + i*360000/10
			if i >= 30 {
				at -= back * 10
			}
			times = append(times, at)
		}
		tq := newTimed(t, 0, times)
		rng := rand.New(rand.NewPCG(1, 2))
		var asked, answers []int64
		for range 50 {
			at := times[0] - 1000 + rng.Int64N(60*36000+2000)
			tq.check(t, at)
			lo, up := tq.ask(t, at)
			asked, answers = append(asked, at), append(answers, lo, up)
		}
		for round := range 3 {
			for i := int64(0); i < 6; i++ {
				noErr(t, tq.fsys.SetModTime(file(tq.q, i*fileSize), time.UnixMilli(rng.Int64N(1<<40))))
			}
			_, tq.q = reopen(t, tq.fsys)
			for i, at := range asked {
				if lo, up := tq.ask(t, at); lo != answers[2*i] || up != answers[2*i+1] {
					t.Fatalf("round %d, time %d: %d, %d, before %d, %d", round, at, lo, up, answers[2*i], answers[2*i+1])
				}
			}
		}
	}
}

// Times in any order, appended here or found on disk, whole or in part expired.
func TestOffsetByTimeOutOfOrder(t *testing.T) {
	for seed := range uint64(18) {
		rng := rand.New(rand.NewPCG(seed, 3))
		times := make([]int64, 1+rng.IntN(700))
		at := int64(10000)
		for i := range times {
			switch {
			case seed%3 == 0:
				at = 1 + rng.Int64N(500) // no order at all
			case rng.IntN(50) == 0:
				at = max(at-rng.Int64N(2000), 1) // the clock is set back
			default:
				at += rng.Int64N(20)
			}
			times[i] = at
		}
		tq := newTimed(t, rng.Int64N(50), times)
		for round := range 3 {
			for range 15 {
				tq.check(t, times[rng.IntN(len(times))]+rng.Int64N(3)-1)
			}
			switch round {
			case 0:
				_, tq.q = reopen(t, tq.fsys)
				noErr(t, tq.q.Load())
			case 1:
				noErr(t, tq.q.CorrectMin(physical(tq.start+int64(len(times)/3))))
			}
		}
	}
}

// A clock set back by an hour in the middle of a long queue.
func TestOffsetByTimeLongStepBack(t *testing.T) {
	var times []int64
	for i := int64(0); i < 20000; i++ {
		at := 1e9 + i*100
		if i >= 10000 {
			at -= 300000 // 3000 messages back
		}
		times = append(times, at)
	}
	tq := newTimed(t, 0, times)
	for range 2 {
		for at := int64(1e9 - 50); at < 1e9+20000*100; at += 23917 {
			lo, up := tq.ask(t, at)
			wlo, wup := tq.model(at)
			// Late only where fewer than 1/64 of the messages behind reached it.
			if top := int64(1e9 + 9999*100); at <= top && at > top-100*100 {
				if lo < wlo || lo > tq.q.MaxOffset() || up < wup {
					t.Fatalf("time %d: %d, %d", at, lo, up)
				}
				continue
			}
			if lo != wlo || up != wup {
				t.Fatalf("time %d: lower %d, upper %d, want %d, %d", at, lo, up, wlo, wup)
			}
		}
		_, tq.q = reopen(t, tq.fsys)
	}
}

func TestOffsetByTimeErrors(t *testing.T) {
	tq := newTimed(t, 0, []int64{1, 2, 3, 4, 5, 6, 7, 8})
	lost := errors.New("record lost")
	for k := range 4 {
		n := 0
		_, err := tq.q.OffsetByTime(5, cq.Upper, func(u cq.Unit) (int64, error) {
			if n++; n > k {
				return 0, lost
			}
			return tq.timeOf(u)
		})
		if !errors.Is(err, lost) && n > k {
			t.Fatalf("want the error of timeOf, got %v", err)
		}
	}
	poke(t, tq.fsys, file(tq.q, 0), 0, make([]byte, fileSize))
	_, err := tq.q.OffsetByTime(5, cq.Lower, tq.timeOf)
	wantDamage(t, err)
}

func TestOffsetByTimeOfBatches(t *testing.T) {
	s := open(t, options(mappedtest.NewFS()))
	q := ensure(t, s, "batch", 0, cq.Batch)
	list, next := batches(100, 0, 25)
	noErr(t, q.Append(list))
	never := func(cq.Unit) (int64, error) { return 0, fmt.Errorf("a batch unit carries its time") }
	for i, e := range list {
		lo, err := q.OffsetByTime(e.StoreTimestamp, cq.Lower, never)
		noErr(t, err)
		up, err := q.OffsetByTime(e.StoreTimestamp+1, cq.Upper, never)
		noErr(t, err)
		if lo != e.QueueOffset || up != e.QueueOffset {
			t.Fatalf("unit %d: %d, %d, want %d", i, lo, up, e.QueueOffset)
		}
	}
	lo, err := q.OffsetByTime(1<<50, cq.Lower, never)
	noErr(t, err)
	if lo != next {
		t.Fatalf("behind the last: %d, want %d", lo, next)
	}
}
