package actors

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestRetentionClockBehindAtBoot: a clock that is a year behind for a moment after
// each boot has stamped the first records of two segments. What lies between them
// is of today, and stays until it is old.
func TestRetentionClockBehindAtBoot(t *testing.T) {
	virtual(t, func(t *testing.T) {
		const year = 365 * 24 * time.Hour
		time.Sleep(2 * year) // the bubble begins in 2000
		var behind atomic.Int64
		behindAtBoot := func(o *Options) {
			o.Now = func() time.Time { return time.Now().Add(-time.Duration(behind.Load())) }
			o.MappedFileSizeCommitLog = 32 << 10
			o.FileReservedTime = time.Hour
			o.DeleteWhen = "0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19;20;21;22;23"
		}
		behind.Store(int64(year))
		r := open(t, behindAtBoot)
		size := int(r.o.MappedFileSizeCommitLog)
		r.put("a", 0, "first of the first segment")
		behind.Store(0)
		large := strings.Repeat("x", 10_000) // with its key two thirds of a segment
		r.put("a", 0, large)
		behind.Store(int64(year))
		r.reopen(behindAtBoot)
		if at := r.put("a", 0, large); at.PhysicalOffset != int64(size) {
			t.Fatalf("the first of the second segment is at %d", at.PhysicalOffset)
		}
		behind.Store(0)
		r.put("a", 0, large)
		r.reopen(behindAtBoot)
		time.Sleep(50 * time.Minute)
		if least := r.tree().log().Min(); least != 0 {
			t.Errorf("the log begins at %d: messages of 50 minutes ago are gone", least)
		}
		time.Sleep(20 * time.Minute)
		if least := r.tree().log().Min(); least != 2*int64(size) {
			t.Errorf("and after an hour it begins at %d", least)
		}
		r.close()
	})
}
