package retention

import (
	"math"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// Space is what the fill of the disks calls for.
type Space struct {
	RefusePuts bool // a disk is too full to take more
	AtOnce     bool // so full that unexpired data may go
	Clean      bool // full enough, or unreadable, to delete what has expired now
}

// Space judges the disk of the log and the disk of the queues, which may be the
// same. It does nothing else, so that a caller can ask it at its own pace while
// segments are being deleted. A use that cannot be read (Ratio -1) leaves the
// refusal of puts as it was.
func (c *Core) Space(log, queues mapped.DiskUsage) Space {
	var s Space
	c.judge(percent(log), &c.logFull, &s)
	c.judge(percent(queues), &c.queuesFull, &s)
	s.RefusePuts = c.logFull || c.queuesFull
	return s
}

// judge follows RocketMQ: between the two upper levels the mark stays as it is,
// so that a store at the edge does not flap.
func (c *Core) judge(used int, full *bool, s *Space) {
	switch {
	case used < 0:
	case used > c.p.DiskSpaceWarningLevelRatio:
		*full, s.AtOnce = true, true
	case used > c.p.DiskSpaceCleanForciblyRatio:
		s.AtOnce = true
	default:
		*full = false
	}
	if used < 0 || used > c.p.DiskMaxUsedSpaceRatio {
		s.Clean = true
	}
}

// percent is the used part of a disk, rounded up; -1 if unknown.
func percent(u mapped.DiskUsage) int {
	r := u.Ratio()
	if r < 0 {
		return -1
	}
	return int(math.Ceil(r*100 - 1e-9))
}

// excess is how many bytes must go to bring a disk down to a level in percent.
func excess(u mapped.DiskUsage, level int) int64 {
	if u.Ratio() < 0 {
		return 0
	}
	whole := u.Used + u.Free
	return max(u.Used-(whole/100*int64(level)+whole%100*int64(level)/100), 0)
}
