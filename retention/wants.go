package retention

import "time"

// wants is what is still to go in a step.
type wants struct {
	age      bool // whatever has expired
	now      time.Duration
	trusted  int64 // ms
	oversize int64 // bytes above MaxStoreSize
	forced   int64 // bytes that must leave the disk
}

func (c *Core) wants(s State, now Now, space Space) wants {
	w := wants{
		age:     space.Clean || space.AtOnce || s.Manual || c.hours.has(now.Wall.Hour()),
		now:     now.Elapsed,
		trusted: c.ages.trusted(now),
	}
	if c.p.MaxStoreSize > 0 {
		total := s.QueueBytes
		for _, seg := range s.Segments {
			total += seg.Size
		}
		w.oversize = total - c.p.MaxStoreSize
	}
	if space.AtOnce && c.p.CleanFileForciblyEnable {
		level := c.p.DiskSpaceCleanForciblyRatio
		w.forced = excess(s.LogDisk, level) - s.Leaving
		if w.forced <= 0 && excess(s.QueueDisk, level) > 0 && s.Leaving == 0 {
			// How much of the queues a segment frees is not known before it has
			// gone: one, then look again.
			w.forced = 1
		}
	}
	return w
}

func (w *wants) any() bool { return w.age || w.oversize > 0 || w.forced > 0 }

func (w *wants) gone(seg Segment) {
	w.oversize -= seg.Size
	w.forced -= seg.Size
}

// reason says why a segment goes, or that it stays and why.
func (w *wants) reason(c *Core, seg Segment, received bool) (Reason, Why) {
	why := Free
	if w.age {
		if why = c.ages.expired(seg, *w, c.p.FileReservedTime, received); why == Free {
			return Age, Free
		}
	}
	switch {
	case w.oversize > 0:
		return Size, Free
	case w.forced > 0:
		return Forced, Free
	}
	return Stays, why
}
