package recoverer

import (
	"cmp"
	"fmt"
	"hash/crc32"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// Plan is what Recover will read, and why. Making it reads a few bytes and
// changes nothing.
type Plan struct {
	Min, Limit int64 // what the segments cover
	// Mark is the mark that counts, nil if none does; then WhyNoMark says why.
	Mark      *checkpoint.Mark
	WhyNoMark string
	// ScanFrom is where the search for the end begins.
	ScanFrom int64
	// Own: mark and summary count, so this engine wrote the log last. Space
	// behind its end is then zero unless something was written there.
	Own bool
	// Trusted: only the log from ReplayFrom on must be replayed. Otherwise
	// WhyAll says why every queue is checked.
	Trusted    bool
	WhyAll     string
	ReplayFrom int64
	// Doubt is set when the log is known to have been longer than its segments
	// reach: nothing is changed then.
	Doubt error
}

// MakePlan looks at a store that was opened. Its error names a file that cannot
// belong to this log.
func MakePlan(in *Input) (Plan, error) {
	p := Plan{}
	segments := in.Log.Segments()
	if len(segments) > 0 {
		p.Min = segments[0].Offset()
		p.Limit = segments[len(segments)-1].End()
	} else if err := refuseLostLog(in); err != nil {
		return p, err
	}
	p.ScanFrom, p.ReplayFrom = p.Min, p.Min
	p.chooseMark(in)
	if p.Mark != nil && p.Mark.LastRecordStart >= 0 {
		p.ScanFrom = p.Mark.LastRecordStart
	}
	p.chooseSummary(in)
	if p.Trusted { // what is replayed is scanned first, by all processors
		p.ScanFrom = min(p.ScanFrom, p.ReplayFrom)
	}
	if p.Mark == nil {
		p.Doubt = lostSegment(in, p.Limit)
	}
	return p, checkFirstRecords(in, segments)
}

// refuseLostLog refuses a store whose segments are gone altogether: queues and
// marks are not thrown away because a directory is empty or not mounted.
func refuseLostLog(in *Input) error {
	for _, m := range in.Marks {
		if m.FlushedEnd > 0 && m.Matches(in.Checkpoint) {
			return fmt.Errorf("%s: no segment, but the log was durable up to offset %d: is the directory the right one?",
				in.Layout.CommitLog(), m.FlushedEnd)
		}
	}
	for q := range in.Queues.All() {
		if err := q.Load(); err != nil && !isCorrupt(err) {
			return err // what it points at is not known
		}
		if q.MaxPhysical() > 0 { // so far as it is whole
			return fmt.Errorf("%s: no segment, but queue %s-%d points at records below offset %d: is the directory the right one?",
				in.Layout.CommitLog(), q.Topic(), q.ID(), q.MaxPhysical())
		}
	}
	return nil
}

// chooseMark takes the newest mark that says something about this log.
func (p *Plan) chooseMark(in *Input) {
	for i := range in.Marks {
		m := &in.Marks[i]
		why := ""
		switch {
		case !m.Matches(in.Checkpoint) && !(i == 0 && justWritten(in)):
			why = "another engine has written the checkpoint since"
		case !stands(in.Log.Reader(), m, p.Min):
			why = fmt.Sprintf("its last record does not stand at offset %d", m.LastRecordStart)
		default:
			p.Mark, p.WhyNoMark = m, ""
			return
		}
		if i == 0 { // an older one never fits the page
			p.WhyNoMark = why
		}
	}
	p.WhyNoMark = cmp.Or(p.WhyNoMark, "there is none")
}

// justWritten tells that the store stopped between writing the newest mark and
// the checkpoint that goes with it: the page is that of the mark before. A clean
// stop comes after both.
func justWritten(in *Input) bool {
	m := in.Marks
	return !in.Clean && len(m) > 1 && m[0].Sequence == m[1].Sequence+1 && m[1].Matches(in.Checkpoint)
}

// stands tells whether the last record below a mark is where the mark says, to
// the byte. A mark below the log's first record says nothing.
func stands(r *commitlog.Reader, m *checkpoint.Mark, min int64) bool {
	if m.LastRecordStart < 0 {
		return m.FlushedEnd == min
	}
	ok := false
	err := viewRest(r, m.LastRecordStart, m.FlushedEnd, func(b []byte) {
		size, kind, err := record.Measure(b)
		if err != nil || kind != record.KindRecord || size > len(b) {
			return
		}
		// The mark's checksum may be over what stood up to the flushed end.
		ok = record.Verify(b[:size], m.LastRecordStart, record.CRCRecord) == nil &&
			(crc32.ChecksumIEEE(b[:size]) == m.LastRecordCRC || crc32.ChecksumIEEE(b) == m.LastRecordCRC)
	})
	return err == nil && ok
}

// viewRest lends the bytes [from, to) of a segment, to its end at most, whatever
// the log's watermarks say.
func viewRest(r *commitlog.Reader, from, to int64, fn func(b []byte)) error {
	c := r.Cursor()
	defer c.Close()
	var err error
	fault := mapped.Guard(func() {
		var b []byte
		if b, err = c.Rest(from, to); err == nil {
			fn(b)
		}
	})
	if fault != nil {
		return fault
	}
	return err
}

// chooseSummary decides whether the queues are known to be right up to a place.
func (p *Plan) chooseSummary(in *Input) {
	s := in.Summary
	switch {
	case p.Mark == nil:
		p.WhyAll = "no mark counts: " + p.WhyNoMark
	case s == nil:
		p.WhyAll = "there is no queue summary"
	case s.Dispatched < p.Min && s.Dispatched != 0, s.Dispatched > p.Limit:
		p.Own = s.Dispatched < p.Min // retention has overtaken the summary
		p.WhyAll = fmt.Sprintf("the queue summary ends at offset %d, the log holds [%d, %d)", s.Dispatched, p.Min, p.Limit)
	default:
		p.Own = true
		if in.CheckAll {
			p.WhyAll = "asked for"
			return
		}
		p.Trusted, p.ReplayFrom = true, max(s.Dispatched, p.Min)
	}
}

// lostSegment finds that a mark of this very log names a place behind the last
// segment: a segment is missing at the end, where no gap shows it.
func lostSegment(in *Input, limit int64) error {
	for _, m := range in.Marks {
		if m.Matches(in.Checkpoint) && m.LastRecordStart >= limit {
			return &record.CorruptionError{Path: in.Layout.CommitLog(), Offset: limit, Next: -1,
				Want: fmt.Sprintf("a log that is durable up to offset %d", m.FlushedEnd),
				Got:  fmt.Sprintf("segments up to offset %d", limit)}
		}
	}
	return nil
}

// checkFirstRecords looks at the first record of every segment but the last. A
// whole record that claims another place means that the file is not of this log
// or not under its own name; nothing may be concluded from such a directory.
func checkFirstRecords(in *Input, segments []*mapped.MappedFile) error {
	if len(segments) < 2 {
		return nil
	}
	r := in.Log.Reader()
	for _, f := range segments[:len(segments)-1] {
		var at int64
		err := viewRest(r, f.Offset(), f.End(), func(b []byte) { at = foreign(b, f.Offset()) })
		if err == nil && at >= 0 {
			return &record.CorruptionError{Path: f.Path(), Offset: f.Offset(), Next: -1,
				Want: fmt.Sprintf("the segment that starts at offset %d", f.Offset()),
				Got:  fmt.Sprintf("a record of offset %d", at)}
		}
	}
	return nil
}

// foreign gives the place that a whole record at the start of b claims, if that
// is not the given one; else -1. Where no checksum covers the claim the record
// behind must make it, too: one flipped bit is damage, not another log.
func foreign(b []byte, offset int64) int64 {
	size, at := claim(b)
	if size == 0 || at == offset {
		return -1
	}
	next, nextAt := claim(b[size:])
	if next > 0 && nextAt == at+int64(size) || next == 0 && record.HasRecordCRC(b[:size]) {
		return at
	}
	return -1
}

// claim gives the size of the whole record at the start of b, 0 if there is
// none, and the place that it claims.
func claim(b []byte) (size int, at int64) {
	size, kind, err := record.Measure(b)
	if err != nil || kind != record.KindRecord || size > len(b) {
		return 0, 0
	}
	at, err = record.PhysicalOffsetOf(b[:size])
	if err != nil || record.Verify(b[:size], at, record.CRCRecord) != nil {
		return 0, 0
	}
	return size, at
}
