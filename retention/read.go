package retention

import (
	"context"
	"errors"
	"io"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Read looks at all records of segments that a step wants to have read, oldest
// first, and returns those that it has read, for Learn. It ends behind the first
// that has a younger record than was known: that one may stay, and then so do
// those behind it. It takes as long as the disk takes, and may be called from
// another goroutine than the rest; ctx ends it.
func (v *Survey) Read(ctx context.Context, segs []Segment) []Segment {
	var done []Segment
	for _, seg := range segs {
		t, err := v.youngest(ctx, seg)
		if err != nil {
			break
		}
		younger := t > seg.Last
		seg.Last, seg.Unread = t, false
		if done = append(done, seg); younger {
			break
		}
	}
	return done
}

// Learn takes what Read has found. Segments that have gone meanwhile are forgotten
// by the next look.
func (v *Survey) Learn(read []Segment) {
	for _, seg := range read {
		v.times[seg.Offset] = found{last: seg.Last}
	}
}

// youngest is the store time of a segment's youngest record, at least seg.Last.
// Damage is passed over, as it is where the segment is not read: a time that nothing
// tells any more would keep it, and all behind it, until the disk is full. An error
// says that the segment was not read.
func (v *Survey) youngest(ctx context.Context, seg Segment) (t int64, err error) {
	s := v.log.Scan(seg.Offset, seg.End(), record.CRCNone)
	defer s.Close()
	t = seg.Last
	for {
		fault := mapped.Guard(func() { err = younger(ctx, s, &t) })
		if fault == nil {
			return t, err
		}
		if _, found := s.ResyncPast(fault); !found {
			return t, nil
		}
	}
}

// younger goes to the end of a scan and raises t. A time is believed as it stands:
// by the monotonic clock the segment goes in any case.
func younger(ctx context.Context, s *commitlog.Scanner, t *int64) error {
	for ctx.Err() == nil {
		e, err := s.Next()
		var missing *commitlog.MissingError
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.As(err, &missing):
			return err
		case err != nil:
			if _, ok := s.Resync(); !ok {
				return nil
			}
		default:
			*t = max(*t, timeOf(e))
		}
	}
	return ctx.Err()
}
