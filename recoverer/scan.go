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
	runs     []run
	behind   error
	seen     int64 // bytes looked at
}

// follow scans the rest of a segment behind a first run of good entries and
// checks every record in full. Behind a bad place it looks for the next good
// record. At quiet, which is the proven end of a log that was closed in order,
// zeros are not looked behind.
func follow(r *commitlog.Reader, first run, to, quiet int64) stretch {
	st := stretch{from: first.start, to: to}
	s := r.Scan(first.end, to, record.CRCRecord)
	defer s.Close()
	defer func() { st.seen = s.Seen() }()
	next := first
	for {
		bad := walk(s, &next, to)
		if next.end > next.start {
			st.runs = append(st.runs, next)
		} else if next.before != nil {
			bad = next.before // a resync that led to nothing
		}
		if bad == nil || bad == io.EOF {
			return st
		}
		found := false
		if !errors.Is(bad, commitlog.ErrUnwritten) || s.Pos() != quiet {
			_, found = s.ResyncPast(bad)
		}
		if !found {
			st.behind = bad
			return st
		}
		next = run{start: s.Pos(), last: -1, before: bad}
	}
}

// walk goes through good entries that start below stop and returns what ends
// them, nil at stop.
func walk(s *commitlog.Scanner, r *run, stop int64) error {
	var err error
	fault := mapped.Guard(func() {
		var e commitlog.Entry
		for s.Pos() < stop {
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
		r.wentBack(back{e.Offset, r.lastTime})
	}
	r.last, r.lastTime = e.Offset, t
}

func (r *run) wentBack(b back) {
	if len(r.backs) == maxBacks {
		r.backs = append(r.backs[:0], r.backs[1:]...)
	}
	r.backs = append(r.backs, b)
}
