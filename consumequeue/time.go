package consumequeue

import (
	"math"
	"math/bits"
)

// Boundary says which end of a stretch of equal times, or of a gap between
// times, is wanted (RocketMQ's BoundaryType).
type Boundary uint8

const (
	Lower Boundary = iota // the first message not before the time
	Upper                 // the last message not after the time
)

// OffsetByTime finds a queue offset by store time t in ms. timeOf gives the
// store time of a unit's record; a record that has left the log counts as too
// early, for which timeOf returns -1. Batch and ext units carry their time and
// are not asked for.
//
// With R(i) the largest time among the messages from MinOffset to i:
//
//	Lower  the first i with R(i) >= t, MaxOffset if there is none
//	Upper  the last i with R(i) <= t, MinOffset if there is none
//
// so an empty queue gives MinOffset. For times in order that is what RocketMQ
// gives. Where the clock was set back it is the first message that reaches t.
//
// It reads about log2(n) times of units that Append put in order in this
// process. Older units may hide a time that was set back, so the stretch in
// front of the answer is looked at too: the 1024 units nearest to it, then one
// in each 1/64 of the distance. An answer can therefore be late, never out of
// range, if times fell below t for more than 1024 messages, after being at or
// above it for fewer than 1/64 of those.
func (q *Queue) OffsetByTime(t int64, bound Boundary, timeOf func(Unit) (int64, error)) (int64, error) {
	for {
		if err := q.readable(); err != nil {
			return 0, err
		}
		gen := q.gen.Load()
		s := timeSearch{q: q, timeOf: timeOf, first: q.first.Load(), end: q.end.Load(), ordered: q.ordered.Load()}
		s.first = min(s.first, s.end)
		offset, err := s.offset(t, bound)
		if gen&1 == 0 && q.gen.Load() == gen {
			return offset, err
		}
		q.awaitWriter()
	}
}

type timeSearch struct {
	q                   *Queue
	timeOf              func(Unit) (int64, error)
	first, end, ordered int64
}

func (s *timeSearch) offset(t int64, bound Boundary) (int64, error) {
	index := s.end
	if bound == Lower || t < math.MaxInt64 {
		if bound == Upper {
			t++
		}
		var err error
		if index, err = s.reach(t); err != nil {
			return 0, err
		}
	}
	if bound == Upper {
		index = max(index-1, s.first)
	}
	return s.queueOffset(index)
}

// queueOffset is the queue offset of a unit, or of the end.
func (s *timeSearch) queueOffset(index int64) (int64, error) {
	if s.q.kind == Simple {
		return index, nil
	}
	if index >= s.end {
		return s.q.maxOffset.Load(), nil
	}
	u, err := s.q.unitAt(index)
	if err == errGone {
		return s.q.minOffset.Load(), nil
	}
	return u.Base, err
}

// reach finds the first unit whose time is at least t, end if none.
func (s *timeSearch) reach(t int64) (int64, error) {
	found, err := s.descend(s.end, t)
	// Each round goes back to an earlier unit; with times in order there is one.
	for range 64 {
		if err != nil {
			return 0, err
		}
		earlier, err := s.lookBack(found, t)
		if err != nil || earlier < 0 {
			return found, err
		}
		if found, err = s.descend(earlier+1, t); err != nil {
			return 0, err
		}
	}
	return found, nil
}

// descend finds a unit below end whose time is at least t with the unit in
// front of it below t; end if there is none. It goes down the powers of two, so
// that which units it asks depends on their place in the queue and hardly on
// where the queue begins or ends: answers stay the same while it grows.
func (s *timeSearch) descend(end, t int64) (int64, error) {
	below := int64(-1) // everything up to here counts as too early
	if end <= 0 {
		return max(end, s.first), nil
	}
	for step := int64(1) << (bits.Len64(uint64(end)) - 1); step > 0; step >>= 1 {
		next := below + step
		if next >= end {
			continue
		}
		if next >= s.first {
			at, err := s.time(next)
			if err != nil {
				return 0, err
			}
			if at >= t {
				continue
			}
		}
		below = next
	}
	return max(below+1, s.first), nil
}

const (
	lookBackEach  = 1024 // so many units in front of the answer are all looked at
	lookBackShare = 64   // then one in this share of the distance
)

// lookBack looks in front of a unit for earlier ones at or above t, and
// returns the earliest seen, -1 if none.
func (s *timeSearch) lookBack(from, t int64) (int64, error) {
	seen := int64(-1)
	for d := int64(1); from-d >= s.first; {
		// From ordered on times ascend up to one that is below t.
		if i := from - d; i < s.ordered {
			at, err := s.time(i)
			if err != nil {
				return 0, err
			}
			if at >= t {
				seen = i
			}
		}
		if d < lookBackEach {
			d++
		} else {
			d += d / lookBackShare
		}
	}
	return seen, nil
}

// time is the store time of a unit; one that expired meanwhile is too early.
func (s *timeSearch) time(index int64) (int64, error) {
	u, err := s.q.unitAt(index)
	if err == errGone || (err == nil && index < s.q.first.Load()) {
		return math.MinInt64, nil
	}
	if err != nil {
		return 0, err
	}
	if s.q.kind == Batch {
		return u.StoreTimestamp, nil
	}
	return s.timeOf(u)
}
