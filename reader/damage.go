package reader

import (
	"errors"
	"fmt"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// missing judges a unit whose record the log does not give: retention has taken
// it, or the unit points at nothing.
func (w *walk) missing(u *consumequeue.Unit, err error) bool {
	var gone *commitlog.MissingError
	if !errors.As(err, &gone) {
		return w.failed(w.next, err)
	}
	if !w.removed(u) || w.outOfOrder(u) {
		return w.failed(w.next, &record.CorruptionError{Path: w.log.Path(u.PhysicalOffset), Offset: u.PhysicalOffset, Next: -1,
			Want: fmt.Sprintf("a record of %d bytes below %d in one segment", u.Size, w.log.Appended()), Got: "none"})
	}
	if w.count == 0 {
		w.place.Status = MessageWasRemoving
	}
	segment := w.log.SegmentSize()
	w.skipBelow = u.PhysicalOffset - u.PhysicalOffset%segment + segment
	w.place.NextOffset = w.next
	return true
}

// removed tells that retention has taken the start of the unit's record: it
// raises the minimum before a segment goes. A segment that is missing above the
// minimum is damage.
func (w *walk) removed(u *consumequeue.Unit) bool { return u.PhysicalOffset < w.log.Min() }

// outOfOrder tells that a unit points in front of the record of the unit before
// it: then retention cannot have taken the one and not the other.
func (w *walk) outOfOrder(u *consumequeue.Unit) bool {
	var before [1]consumequeue.Unit
	if u.Base <= w.q.MinOffset() {
		return false
	}
	n, err := w.q.Read(u.Base-1, before[:])
	return err == nil && n == 1 && before[0].PhysicalOffset > u.PhysicalOffset
}

// noUnit ends a walk at an offset that gave no unit.
func (w *walk) noUnit(err error) {
	p := &w.place
	switch {
	case err == nil: // the end of the queue, or units that were cut meanwhile
		if w.count == 0 && p.NextOffset == w.req.Offset {
			p.Status = OffsetFoundNull
		}
	case errors.Is(err, consumequeue.ErrOffsetTooSmall):
		if w.count == 0 {
			p.Status, p.MinOffset = OffsetTooSmall, w.q.MinOffset()
			p.NextOffset = max(p.NextOffset, p.MinOffset)
		}
	case errors.Is(err, consumequeue.ErrDeleted):
		if w.count == 0 {
			*p = Place{Status: NoMatchedLogicQueue}
		}
	default:
		w.badUnit(err)
	}
}

// badUnit reports a unit that cannot be read. Only damage is stepped over: what
// fails for another reason may be there the next time.
func (w *walk) badUnit(err error) {
	if w.count == 0 {
		w.place.Status = OffsetFoundNull
	}
	var fault *mapped.FaultError
	if errors.Is(err, record.ErrCorrupt) || errors.As(err, &fault) {
		w.failed(w.place.NextOffset+1, err)
		return
	}
	w.failed(w.place.NextOffset, err)
}

// failed ends the walk at damage. Messages in front of it are returned first;
// the error comes when it is what the next call meets first.
func (w *walk) failed(next int64, err error) bool {
	if w.count > 0 {
		return false
	}
	if w.r.o.Damaged != nil {
		w.r.o.Damaged(err)
	}
	w.place.NextOffset = max(w.place.NextOffset, next)
	w.err = goOn(err, next)
	return false
}

// faulted ends the walk at a page of the log that cannot be read. A View
// function that was reading there has seen the message, so it is not kept back.
func (w *walk) faulted(fault error) {
	if w.lending {
		w.place.NextOffset, w.err = w.next, fault
		return
	}
	w.failed(w.next, fault)
}

// damaged gives an error of package record its place.
func (w *walk) damaged(u *consumequeue.Unit, err error) error {
	return located(err, w.cur.Path(), u.PhysicalOffset)
}

// mismatch says that the record is not what the unit says.
func (w *walk) mismatch(u *consumequeue.Unit, want, got string) error {
	return &record.CorruptionError{Path: w.cur.Path(), Offset: u.PhysicalOffset, Want: want, Got: got, Next: -1}
}

// misplaced says that the queue has no unit for an offset.
func (w *walk) misplaced(u *consumequeue.Unit, at int64) error {
	return &record.CorruptionError{Path: fmt.Sprintf("%s-%d", w.req.Topic, w.req.QueueID), Offset: at,
		Want: "a unit for this queue offset", Got: fmt.Sprintf("one for %d to %d", u.Base, u.Base+int64(u.Num)-1), Next: -1}
}
