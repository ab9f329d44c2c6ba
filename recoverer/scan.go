package recoverer

import (
	"errors"
	"io"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

// run is a stretch of log in which entry follows entry without a fault.
type run struct {
	start, end int64
	last       int64 // start of its last record, -1 if it holds only a BLANK
	before     error // what stands in front of it, nil if nothing bad was met

	firstTime, lastTime int64  // store times of its first and last record
	backs               []back // where the store time went back
}

// back is a record that is older than the one in front of it.
type back struct {
	offset int64
	before int64 // store time of the record in front, ms
}

// maxBacks bounds what is kept of a run: the last ones matter.
const maxBacks = 64

// stretch is what a scan found in one segment: its runs, and what stands behind
// the last one; nil if that reaches to the end.
type stretch struct {
	from, to int64
	path     string
	runs     []run
	behind   error
}

// pageSize is the unit in which a mapping fails.
const pageSize = 4096

// scanSegment reads [from, to), which lies in one segment, and checks every
// record in full. Behind a bad place it looks for the next good record. At
// quiet, which is the proven end of a log that was closed in order, zeros are
// not looked behind.
func scanSegment(r *commitlog.Reader, from, to, quiet int64) stretch {
	st := stretch{from: from, to: to}
	s := r.Scan(from, to, record.CRCRecord)
	defer s.Close()
	var bad error
	for {
		next := run{start: s.Pos(), last: -1, before: bad}
		bad = walk(s, &next)
		if next.end > next.start {
			st.runs = append(st.runs, next)
		} else if next.before != nil {
			bad = next.before // a resync that led to nothing
		}
		st.path = s.Path()
		if bad == io.EOF {
			return st
		}
		if errors.Is(bad, commitlog.ErrUnwritten) && s.Pos() == quiet || !resync(s, bad, from-from%r.Log().SegmentSize()) {
			st.behind = bad
			return st
		}
	}
}

// walk goes through good entries and returns what ends them.
func walk(s *commitlog.Scanner, r *run) error {
	var err error
	fault := mapped.Guard(func() {
		var e commitlog.Entry
		for {
			if e, err = s.Next(); err != nil {
				return
			}
			if e.Kind != record.KindRecord {
				continue
			}
			r.note(&e)
		}
	})
	r.end = s.Pos()
	if fault != nil {
		return fault
	}
	return err
}

// note takes a good record into the run.
func (r *run) note(e *commitlog.Entry) {
	t, err := record.StoreTimestampOf(e.Bytes)
	if err != nil {
		return
	}
	switch {
	case r.last < 0:
		r.firstTime = t
	case t < r.lastTime:
		if len(r.backs) == maxBacks {
			r.backs = append(r.backs[:0], r.backs[1:]...)
		}
		r.backs = append(r.backs, back{e.Offset, r.lastTime})
	}
	r.last, r.lastTime = e.Offset, t
}

// resync goes to the next good record behind a bad place. Pages that cannot be
// read are stepped over one by one.
func resync(s *commitlog.Scanner, bad error, segment int64) bool {
	for {
		var fault *mapped.FaultError
		if errors.As(bad, &fault) {
			// A resync looks from the next byte on.
			behind := segment + (fault.Offset/pageSize+1)*pageSize - 1
			s.SkipTo(max(behind, s.Pos()))
		}
		found := false
		err := mapped.Guard(func() { _, found = s.Resync() })
		if err == nil {
			return found
		}
		bad = err
	}
}
