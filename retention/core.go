package retention

import (
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Segment is a file of the log as retention sees it.
type Segment struct {
	Offset int64 // first byte
	Size   int64 // bytes
	Last   int64 // store time of the last record in ms; <= 0 is unknown
	// Unread says that Last is only what is known without reading the segment: its
	// youngest record is not older than that, and may be younger.
	Unread bool
}

// End is the offset behind the segment.
func (s Segment) End() int64 { return s.Offset + s.Size }

// State is what a step looks at.
type State struct {
	Segments []Segment // oldest first, the one in use and an unused one too
	Newest   int64     // store time of the newest record in ms; <= 0 is unknown

	Appended, Flushed, Confirm, Dispatched int64
	Replicated                             int64 // counts only with HasReplicas
	HasReplicas                            bool

	// Received says that the records come from a master, so that their times
	// are those of another clock, and older than their arrival here.
	Received bool
	// Manual asks to delete what has expired whatever the hour.
	Manual bool

	LogDisk, QueueDisk mapped.DiskUsage
	QueueBytes         int64 // size of queues and index, for MaxStoreSize
	// Leaving is the bytes of segments that were taken out but are still on the
	// disk because a reader holds them; they are counted as gone already.
	Leaving int64
}

// Now is the time of a step.
type Now struct {
	Wall    time.Time     // its location decides which hour of day it is
	Elapsed time.Duration // monotonic time since the store was opened
}

// Core decides. It belongs to one goroutine and lives as long as the store is
// open, also where its actor is restarted, because it remembers when it first saw
// each segment complete.
type Core struct {
	p          Policy
	hours      hours
	logFull    bool
	queuesFull bool
	ages       ages
}

// New makes a core. An error is that of Policy.Validate.
func New(p Policy) (*Core, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	h, err := parseHours(p.DeleteWhen)
	if err != nil {
		return nil, err
	}
	return &Core{p: p.Clamped(), hours: h}, nil
}

// Policy is what the core goes by, ratios clamped.
func (c *Core) Policy() Policy { return c.p }

// Open tells that the store was opened at this moment with a log that ends at
// end, before anything is put: so far the wall clock is believed. Without it the
// first Step is taken for the opening.
func (c *Core) Open(end int64, now Now) { c.ages.open(end, now) }

// Step says what goes now. It changes nothing outside the core.
func (c *Core) Step(s State, now Now) Decision {
	c.ages.see(s, now)
	space := c.Space(s.LogDisk, s.QueueDisk)
	d := Decision{RefusePuts: space.RefusePuts}
	w := c.wants(s, now, space)
	if !w.any() {
		return d
	}
	for i, seg := range s.Segments {
		why := s.protects(i)
		reason := Stays
		if why == Free {
			reason, why = w.reason(c, seg, s.Received)
		}
		if reason == Stays && d.Blocked.Why == Free {
			d.Blocked = Blocked{Offset: seg.Offset, Why: why}
		}
		switch {
		case reason == Stays && why != NotRead:
			return d
		case len(d.Expired)+len(d.Unread) == c.p.DeleteFileBatchMax:
			d.More = true
			return d
		case reason == Stays:
			d.Unread = append(d.Unread, seg)
		case len(d.Unread) == 0:
			d.Expired = append(d.Expired, Expired{Segment: seg, Reason: reason})
			d.ExpireBelow = seg.End()
			w.gone(seg)
		}
	}
	return d
}

// protects says whether a segment must stay whatever is wanted (R2).
func (s State) protects(i int) Why {
	end := s.Segments[i].End()
	switch {
	case i == len(s.Segments)-1 || end >= s.Appended:
		return InUse
	case end > s.Flushed:
		return NotFlushed
	case end > s.Confirm:
		return NotConfirmed
	case end > s.Dispatched:
		return NotDispatched
	case s.HasReplicas && end > s.Replicated:
		return NotReplicated
	}
	return Free
}
