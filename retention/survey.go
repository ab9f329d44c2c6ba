package retention

import (
	"errors"
	"io"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Survey finds the time of each segment's last record. It remembers what it has
// found, since a complete segment does not change. It belongs to one goroutine.
type Survey struct {
	log   *commitlog.Reader
	times map[int64]found // by segment offset
}

// found is what is known of a complete segment.
type found struct {
	last   int64 // ms; 0 is unknown
	unread bool
}

// NewSurvey makes a survey of a log.
func NewSurvey(log *commitlog.Reader) *Survey {
	return &Survey{log: log, times: make(map[int64]found)}
}

// Segments are the segments of the log with their times, oldest first. What
// cannot be read has an unknown time; it is no error.
func (v *Survey) Segments() []Segment {
	files := v.log.Log().Segments()
	appended := v.log.Log().Appended()
	segs := make([]Segment, len(files))
	times := make(map[int64]found, len(files))
	for i, f := range files {
		segs[i] = Segment{Offset: f.Offset(), Size: f.Size()}
		if segs[i].End() >= appended || i+1 == len(files) {
			// In use: its first record is at least a bound for the newest time.
			segs[i].Last = v.first(f.Offset())
			continue
		}
		t, ok := v.times[f.Offset()]
		if !ok {
			t = v.last(segs[i], files[i+1].Offset())
		}
		times[f.Offset()], segs[i].Last, segs[i].Unread = t, t.last, t.unread
	}
	v.times = times
	return segs
}

// last is when the last record of a complete segment was written. The record
// behind it came just after, which saves reading a whole segment; the segment's
// own first record guards against a clock that was set back in between. A clock that
// is behind for a while may have stamped both: what is old by them is read (Read).
func (v *Survey) last(seg Segment, next int64) found {
	own := v.first(seg.Offset)
	if next == seg.End() {
		if t := v.first(next); t > 0 {
			return found{last: max(t, own), unread: true}
		}
	}
	return found{last: v.walk(seg)}
}

// first is the store time of the record at the start of a segment, 0 if none
// stands there that can be believed.
func (v *Survey) first(offset int64) (t int64) {
	s := v.log.Scan(offset, v.log.Log().Appended(), record.CRCRecord)
	defer s.Close()
	fault := mapped.Guard(func() {
		if e, err := s.Next(); err == nil {
			t = timeOf(e)
		}
	})
	if fault != nil {
		return 0
	}
	return t
}

// walk is the latest store time in a segment. It reads every record, and does so
// only where the segment behind cannot tell. A segment that cannot be read to
// its end has an unknown time: what stands behind the damage may be younger.
func (v *Survey) walk(seg Segment) (t int64) {
	s := v.log.Scan(seg.Offset, seg.End(), record.CRCNone)
	defer s.Close()
	fault := mapped.Guard(func() {
		for {
			e, err := s.Next()
			if err != nil {
				if !errors.Is(err, io.EOF) {
					t = 0
				}
				return
			}
			t = max(t, timeOf(e))
		}
	})
	if fault != nil {
		return 0
	}
	return t
}

// timeOf is 0 for a BLANK and for a record whose time cannot be read.
func timeOf(e commitlog.Entry) int64 {
	if e.Kind != record.KindRecord {
		return 0
	}
	t, err := record.StoreTimestampOf(e.Bytes)
	if err != nil {
		return 0
	}
	return max(t, 0)
}
