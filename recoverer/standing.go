package recoverer

import (
	"cmp"
	"errors"
	"slices"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Standing is what is known to be damaged in a log after a recovery or a look:
// what that has found, and what was found before and still is so. Places that
// have left the log, or where a whole record stands now, are forgotten.
func Standing(in *Input, rep *Report) []checkpoint.Damage {
	found := damages{list: rep.Damage}
	look := newLookup(in)
	var past history
	past.init(in, &rep.Plan)
	list := Known(rep.Damage)
	for _, d := range in.Known {
		if _, again := found.at(d.Offset); again || d.Offset < rep.Min || d.Offset >= rep.End || look.whole(d.Offset, rep.End) ||
			d.End == 0 && past.inside(d.Offset, rep.End) {
			continue
		}
		list = append(list, d)
	}
	slices.SortFunc(list, func(a, b checkpoint.Damage) int { return cmp.Compare(a.Offset, b.Offset) })
	return slices.CompactFunc(list, func(a, b checkpoint.Damage) bool { return a.Offset == b.Offset })
}

// inside tells that a good record holds an offset but does not begin there: what
// a read has met was a unit that points at nothing.
func (h *history) inside(offset, end int64) (in bool) {
	size := h.in.Log.SegmentSize()
	h.topics = record.NewInterner(1 << 16)
	h.each(max(offset-offset%size, h.in.Log.Segments()[0].Offset()), end, func(req *record.DispatchRequest) bool {
		in = req.PhysicalOffset < offset && offset < req.PhysicalOffset+int64(req.Size)
		return !in && req.PhysicalOffset < offset
	})
	return in
}

// Known is damage as it is written down.
func Known(list []Damage) []checkpoint.Damage {
	out := make([]checkpoint.Damage, 0, len(list))
	for _, d := range list {
		k := checkpoint.Damage{Offset: d.Offset, End: d.Next, Want: "a record", Got: d.Err.Error()}
		var ce *record.CorruptionError
		if errors.As(d.Err, &ce) {
			k.Want, k.Got = ce.Want, ce.Got
		}
		out = append(out, k)
	}
	return out
}

// KnownFinding is a finding of an earlier recovery or read.
func KnownFinding(in *Input, d checkpoint.Damage) Finding {
	return Finding{Where: CommitLog, Path: in.Log.Path(d.Offset), Offset: d.Offset, End: d.End, Want: d.Want, Got: d.Got}
}
