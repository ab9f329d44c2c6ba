package retention

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Policy says how long data is kept. Names and defaults are RocketMQ's.
type Policy struct {
	// FileReservedTime is the age at which a segment has expired. Default 72 h.
	FileReservedTime time.Duration
	// DeleteWhen is the hours of day, local time, in which expired segments are
	// deleted: "04", "04;16". Default "04".
	DeleteWhen string
	// DiskMaxUsedSpaceRatio is the use of the disk in percent above which expired
	// segments are deleted at any hour; clamped to 10..95. Default 75.
	DiskMaxUsedSpaceRatio int
	// DiskSpaceCleanForciblyRatio is the use in percent above which unexpired
	// segments go too; clamped to 30..85. Default 85.
	DiskSpaceCleanForciblyRatio int
	// DiskSpaceWarningLevelRatio is the use in percent above which puts are
	// refused; clamped to 35..90. Default 90.
	DiskSpaceWarningLevelRatio int
	// CleanFileForciblyEnable allows unexpired segments to go. Default true.
	CleanFileForciblyEnable bool
	// MaxStoreSize is how many bytes the files of the store may have together;
	// 0 is no limit. RocketMQ has none. Default 0.
	MaxStoreSize int64
	// DeleteFileBatchMax is how many segments go in one step. Default 10.
	DeleteFileBatchMax int
}

// DefaultPolicy is RocketMQ's.
func DefaultPolicy() Policy {
	return Policy{
		FileReservedTime:            72 * time.Hour,
		DeleteWhen:                  "04",
		DiskMaxUsedSpaceRatio:       75,
		DiskSpaceCleanForciblyRatio: 85,
		DiskSpaceWarningLevelRatio:  90,
		CleanFileForciblyEnable:     true,
		DeleteFileBatchMax:          10,
	}
}

// Validate reports the first value that cannot be used. Ratios are never
// refused: they are clamped, as RocketMQ does.
func (p Policy) Validate() error {
	if p.FileReservedTime < time.Millisecond {
		return fmt.Errorf("fileReservedTime: want at least 1ms, got %v", p.FileReservedTime)
	}
	if p.MaxStoreSize < 0 {
		return fmt.Errorf("maxStoreSize: want 0 or more bytes, got %d", p.MaxStoreSize)
	}
	if p.DeleteFileBatchMax < 1 {
		return fmt.Errorf("deleteFileBatchMax: want at least 1, got %d", p.DeleteFileBatchMax)
	}
	_, err := parseHours(p.DeleteWhen)
	return err
}

// Clamped is p with its ratios brought into RocketMQ's bounds.
func (p Policy) Clamped() Policy {
	p.DiskMaxUsedSpaceRatio = min(max(p.DiskMaxUsedSpaceRatio, 10), 95)
	p.DiskSpaceCleanForciblyRatio = min(max(p.DiskSpaceCleanForciblyRatio, 30), 85)
	p.DiskSpaceWarningLevelRatio = min(max(p.DiskSpaceWarningLevelRatio, 35), 90)
	return p
}

// hours has bit h set for each hour of day in which to delete.
type hours uint32

func (h hours) has(hour int) bool { return h>>hour&1 != 0 }

func parseHours(when string) (hours, error) {
	var set hours
	for part := range strings.SplitSeq(when, ";") {
		h, err := strconv.ParseUint(strings.TrimSpace(part), 10, 8)
		if err != nil || h > 23 {
			return 0, fmt.Errorf("deleteWhen: want hours 00 to 23 separated by ';', got %q", when)
		}
		set |= 1 << h
	}
	return set, nil
}
