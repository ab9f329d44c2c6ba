package retention

import "time"

// ages holds what is needed to tell the age of a segment although the wall clock
// may jump. All of it is of this run.
type ages struct {
	opened bool
	anchor int64         // ms: what the log itself said about the time at open
	start  time.Duration // monotonic time of the first step
	seen   map[int64]sight
}

// sight is when a segment was first seen complete.
type sight struct {
	at     time.Duration
	before bool // it was complete when the store was opened
}

// see notes new segments and forgets those that have gone.
func (a *ages) see(s State, now Now) {
	first := !a.opened
	if first {
		a.opened, a.start = true, now.Elapsed
		a.anchor = now.Wall.UnixMilli()
		if n := newest(s); n > 0 {
			a.anchor = min(a.anchor, n)
		}
		a.seen = make(map[int64]sight)
	}
	here := make(map[int64]sight, len(s.Segments))
	for _, seg := range s.Segments {
		if seg.End() >= s.Appended {
			continue
		}
		t, ok := a.seen[seg.Offset]
		if !ok {
			t = sight{at: now.Elapsed, before: first}
		}
		here[seg.Offset] = t
	}
	a.seen = here
}

// newest is the latest store time that a state names; 0 if it names none.
func newest(s State) int64 {
	n := max(s.Newest, 0)
	for _, seg := range s.Segments {
		n = max(n, seg.Last)
	}
	return n
}

// trusted is the wall clock in ms as far as it is believed.
func (a *ages) trusted(now Now) int64 {
	return min(now.Wall.UnixMilli(), a.anchor+(now.Elapsed-a.start).Milliseconds())
}

// expired says whether a segment is older than reserved. It is not known if the
// time of the segment's last record is not (R3).
func (a *ages) expired(seg Segment, w wants, reserved time.Duration, received bool) (expired, known bool) {
	if seg.Last <= 0 {
		return false, false
	}
	t, ok := a.seen[seg.Offset]
	if !ok {
		return false, true
	}
	if w.now-t.at >= reserved {
		return true, true
	}
	if !t.before && !received {
		return false, true
	}
	return w.trusted-seg.Last >= reserved.Milliseconds(), true
}
