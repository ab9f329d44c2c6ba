package oracle

import (
	"context"
	"hash/maphash"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

var hashSeed = maphash.MakeSeed()

// records reads the log and wants a prefix of what was written, with everything
// in it that must be there.
func (c *check) records(ctx context.Context) error {
	c.f.Min, c.f.End = c.log.Bounds()
	if c.cut == Running { // files that could not be removed yet are not shown any more
		c.f.Min = max(c.f.Min, c.at.maxMin)
	}
	seen := make(map[int64]bool)
	at := c.f.Min
	err := c.log.Walk(ctx, c.f.Min, -1, func(e commitlog.Entry, damage error) error {
		if e.Offset != at {
			c.bad("log: %d is followed by %d", at, e.Offset)
		}
		at = e.Offset + int64(e.Size)
		switch {
		case damage != nil && (c.o.Unmarked || c.tornInSize(e.Offset)):
			c.f.Doubtful = true
		case damage != nil:
			c.bad("log: damage at %d: %v", e.Offset, damage)
		case e.Kind == record.KindRecord:
			c.record(&e, seen)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if at != c.f.End {
		c.bad("log: entries end at %d, the log at %d", at, c.f.End)
	}
	c.bounds()
	c.oldOnes()
	c.missing(seen)
	c.prefix(seen)
	return nil
}

// tornInSize tells that a power cut may have torn a write in a way that recovery
// cannot tell from a flipped bit, and rightly takes for damage: of a record that
// was not durable the disk lacks less than the size field, 1 to 3 bytes at the
// end of a sector, and what follows is whole.
func (c *check) tornInSize(offset int64) bool {
	const sector, sizeField = 512, 4
	return c.cut == PowerCut && offset >= c.at.synced && offset%sector > sector-sizeField
}

// record judges one record by itself.
func (c *check) record(e *commitlog.Entry, seen map[int64]bool) {
	var m record.MessageExt
	if err := record.Decode(e.Bytes, &m); err != nil {
		c.bad("log: record at %d: %v", e.Offset, err)
		return
	}
	n, ok := SerialOf(m.Properties)
	s := c.m.sent[n]
	switch {
	case !ok || s == nil || s.At > c.at.after:
		c.bad("log: record at %d, serial number %d of topic %s, was never sent or is back", e.Offset, n, m.Topic)
		return
	case seen[n]:
		c.bad("log: message %d is there again at %d", n, e.Offset)
		return
	case s.Refused():
		c.bad("log: message %d at %d was refused with %s", n, e.Offset, s.Result.Status)
	}
	seen[n] = true
	if diff := compare(&m.Message, &s.Message); diff != "" {
		c.bad("log: message %d at %d: %s", n, e.Offset, diff)
	}
	c.answer(&m, s)
	c.f.Records = append(c.f.Records, Record{Offset: e.Offset, End: e.Offset + int64(e.Size),
		QueueOffset: m.QueueOffset, StoreTimestamp: m.StoreTimestamp,
		Sum: maphash.Bytes(hashSeed, e.Bytes), sent: s, units: unitsOf(&m, c.o.MultiDispatch)})
}

// answer holds a record against what its put was answered, also if that was only
// after the cut: the log does not change below its end.
func (c *check) answer(m *record.MessageExt, s *Sent) {
	r := &s.Result
	if s.Settled == 0 || r.Status != flusher.PutOK {
		return
	}
	if s.Index == 0 && m.PhysicalOffset != r.PhysicalOffset {
		c.bad("message %d stands at %d, its answer said %d", s.Serial, m.PhysicalOffset, r.PhysicalOffset)
	}
	if m.PhysicalOffset < r.PhysicalOffset || m.PhysicalOffset >= r.End() {
		c.bad("message %d stands at %d, outside of [%d, %d)", s.Serial, m.PhysicalOffset, r.PhysicalOffset, r.End())
	}
	if m.QueueOffset != r.QueueOffset+int64(s.Index) {
		c.bad("message %d has queue offset %d, its answer said %d", s.Serial, m.QueueOffset, r.QueueOffset+int64(s.Index))
	}
	if m.StoreTimestamp != r.StoreTimestamp {
		c.bad("message %d has store time %d, its answer said %d", s.Serial, m.StoreTimestamp, r.StoreTimestamp)
	}
}

// bounds judges where the log begins and ends.
func (c *check) bounds() {
	if c.f.Min < c.m.min || c.at.maxMin >= 0 && c.f.Min > c.at.maxMin {
		c.bad("log: begins at %d, was between %d and %d", c.f.Min, c.m.min, c.at.maxMin)
	}
	if c.f.End < c.m.synced && c.cut == Closed || c.f.End < c.at.synced {
		c.bad("log: ends at %d, was durable up to %d", c.f.End, c.at.synced)
	}
	if c.f.End < c.at.seen {
		c.bad("log: ends at %d, could be read up to %d", c.f.End, c.at.seen)
	}
}

// oldOnes wants what was there at the last opening, unchanged and first.
func (c *check) oldOnes() {
	i := 0
	for _, old := range c.m.base {
		if old.Offset < c.f.Min {
			continue
		}
		if i >= len(c.f.Records) {
			c.bad("log: message %d at %d, which was there before, is gone", old.Serial(), old.Offset)
			continue
		}
		now := &c.f.Records[i]
		if now.Offset != old.Offset || now.Sum != old.Sum {
			c.bad("log: message %d at %d was there before, now message %d at %d", old.Serial(), old.Offset, now.Serial(), now.Offset)
		}
		i++
	}
}

// prefix wants no message in front of one that is there to be left out, unless
// its put was refused.
func (c *check) prefix(seen map[int64]bool) {
	if !c.o.InOrder || c.o.Unmarked {
		return
	}
	var left *Sent
	for _, s := range c.m.order {
		switch {
		case seen[s.Serial] && left != nil:
			c.bad("log: message %d is there, and message %d, sent before it, is not", s.Serial, left.Serial)
			return
		case seen[s.Serial] || s.Refused() || c.f.Min > c.m.min: // retention may have taken it
		case left == nil:
			left = s
		}
	}
}

// missing looks for acknowledged messages that are not there.
func (c *check) missing(seen map[int64]bool) {
	for _, s := range c.m.order {
		if seen[s.Serial] || !s.acked(c.at.before) || s.Result.End() <= c.f.Min {
			continue
		}
		if c.cut == PowerCut && s.Result.Durability < flusher.Flushed && s.Result.End() > c.at.synced {
			continue
		}
		c.bad("LOST: message %d of topic %s, acknowledged %s at %d to %d, is gone; the log ends at %d",
			s.Serial, s.Message.Topic, s.Result.Durability, s.Result.PhysicalOffset, s.Result.End(), c.f.End)
	}
	if c.cut != Closed {
		return
	}
	for i := range c.f.Records {
		if s := c.f.Records[i].sent; s.Settled > 0 && s.Result.Status != flusher.PutOK {
			c.bad("message %d is there, its put was answered %s", s.Serial, s.Result.Status)
		}
	}
}
