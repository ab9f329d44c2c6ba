package retention

import "time"

// ages holds what is needed to tell the age of a segment although the wall clock
// may jump. All of it is of this run.
type ages struct {
	opened bool          // open was called
	end    int64         // of the log at open
	anchor int64         // ms: what was believed of the time at open
	start  time.Duration // monotonic time then
	seen   map[int64]sight
}

// sight is when a segment was first seen complete.
type sight struct {
	at     time.Duration
	before bool // it was complete when the store was opened
}

// open notes the moment from which on the monotonic clock counts.
func (a *ages) open(end int64, now Now) {
	a.opened, a.end, a.start, a.anchor = true, end, now.Elapsed, now.Wall.UnixMilli()
}

// see notes new segments and forgets those that have gone.
func (a *ages) see(s State, now Now) {
	if a.seen == nil {
		a.seen = make(map[int64]sight)
		newest := int64(0)
		if !a.opened {
			a.open(s.Appended, now)
			newest = s.Newest
		}
		for _, seg := range s.Segments {
			// Only what was there at open: what came since has times of a clock that
			// may have been set in between.
			if seg.End() <= a.end || seg.Offset < a.end && seg.End() >= s.Appended {
				newest = max(newest, seg.Last)
			}
		}
		if newest > 0 {
			a.anchor = min(a.anchor, newest)
		}
	}
	here := make(map[int64]sight, len(s.Segments))
	for _, seg := range s.Segments {
		if seg.End() >= s.Appended {
			continue
		}
		t, ok := a.seen[seg.Offset]
		if !ok {
			t = sight{at: now.Elapsed, before: seg.End() <= a.end}
		}
		here[seg.Offset] = t
	}
	a.seen = here
}

// trusted is the wall clock in ms as far as it is believed.
func (a *ages) trusted(now Now) int64 {
	return min(now.Wall.UnixMilli(), a.anchor+(now.Elapsed-a.start).Milliseconds())
}

// expired is Free for a segment that is older than reserved, else why it stays:
// the time of its last record is not known (R3), or perhaps not (R5).
func (a *ages) expired(seg Segment, w wants, reserved time.Duration, received bool) Why {
	if seg.Last <= 0 {
		return TimeUnknown
	}
	t, ok := a.seen[seg.Offset]
	switch {
	case !ok:
		return Unexpired
	case w.now-t.at >= reserved:
		return Free
	case !t.before && !received, w.trusted-seg.Last < reserved.Milliseconds():
		return Unexpired
	case seg.Unread:
		return NotRead
	}
	return Free
}
