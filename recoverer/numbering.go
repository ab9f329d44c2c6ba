package recoverer

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// take gives a queue the next record that the log has for it. If the record
// carries a checksum over its header its queue offset is what was written.
func (p *replay) take(st *queueState, e *consumequeue.Entry) error {
	if !st.known {
		return p.begin(st, e)
	}
	if st.held != nil {
		if err := p.confirm(st, e); err != nil {
			return err
		}
	}
	switch {
	case e.QueueOffset == st.next:
		return p.accept(st, e)
	case e.QueueOffset > st.next && e.QueueOffset-st.next <= p.damage.room(st.lastEnd, e.PhysicalOffset):
		return p.jump(st, e) // damage explains it
	case record.HasRecordCRC(p.bytes):
		return p.jump(st, e)
	}
	agrees, err := p.agrees(st, e)
	if err != nil {
		return err
	}
	if agrees {
		return p.jump(st, e)
	}
	st.held = &held{entry: *e}
	return nil
}

// agrees tells whether a unit that stood there before points at the record.
func (p *replay) agrees(st *queueState, e *consumequeue.Entry) (bool, error) {
	if st.q == nil || e.QueueOffset < st.q.MinOffset() || e.QueueOffset >= st.q.MaxOffset() {
		return false, nil
	}
	u, found, err := st.unit(e.QueueOffset)
	if err != nil && !isCorrupt(err) {
		return false, err
	}
	return err == nil && found && u.PhysicalOffset == e.PhysicalOffset && u.Size == e.Size, nil
}

// accept takes a record whose offset is the next one of its queue.
func (p *replay) accept(st *queueState, e *consumequeue.Entry) error {
	if st.behind(e) {
		return p.behindALie(st, e)
	}
	st.next, st.lastEnd = nextOf(e), max(st.lastEnd, endOf(e))
	switch has := st.max(); {
	case e.QueueOffset < has:
		return p.compare(st, e)
	case e.PhysicalOffset < st.trustEnd:
		p.superseded++
		return nil
	case e.QueueOffset > has && !st.empty():
		return p.renumber(st, e)
	}
	return p.append(st, e)
}

// behindALie adds a record behind units that point behind it, which none in front
// does: those units are damaged, and their own records have left the log, or are
// damaged too. Their numbers become a hole.
func (p *replay) behindALie(st *queueState, e *consumequeue.Entry) error {
	for st.behind(e) {
		at := st.max() - 1
		p.tell(st, at, fmt.Sprintf("a unit for a record in front of %d", e.PhysicalOffset), "one behind it")
		if err := p.cutBack(st, at); err != nil {
			return err
		}
	}
	if st.empty() {
		return p.accept(st, e)
	}
	st.next, st.lastEnd = st.max(), max(st.lastEnd, st.q.MaxPhysical())
	return p.jump(st, e)
}

// append adds a record behind the end of its queue.
func (p *replay) append(st *queueState, e *consumequeue.Entry) error {
	if st.q == nil {
		q, err := p.in.Queues.Ensure(st.topic, st.id, st.kind)
		if err != nil {
			return err
		}
		st.q = q
	}
	if e.QueueOffset > 0 && st.empty() {
		// A file without a unit may stand there, and would not let it start here.
		if err := st.q.Reset(""); err != nil {
			return err
		}
	}
	if !st.due { // a cut may have written what it had: it is in the list all the same
		st.due = true
		p.dirty = append(p.dirty, st)
	}
	st.batch = append(st.batch, *e)
	p.rep.UnitsAppended++
	if p.pending++; p.pending >= pendingMax {
		return p.flush()
	}
	return nil
}

// compare holds a record against the unit that stands at its offset.
func (p *replay) compare(st *queueState, e *consumequeue.Entry) error {
	u, found, err := st.unit(e.QueueOffset)
	switch {
	case err != nil && !isCorrupt(err):
		return err
	case err == nil && found && same(&u, e, st.kind, st.topic):
		return nil
	case err == nil && found && u.PhysicalOffset > e.PhysicalOffset && p.look.backs(&u, st.topic, st.id, p.end):
		p.superseded++ // the numbering began anew behind this record
		return nil
	case st.kind == consumequeue.Batch && (err != nil || !found || int64(u.Num) != max(int64(e.Num), 1)):
		p.tell(st, e.QueueOffset, fmt.Sprintf("a unit for offset %d and %d messages", e.QueueOffset, max(e.Num, 1)), "another or none")
		return p.cutAndAppend(st, e.QueueOffset, e)
	case err == nil && !found:
		return p.renumber(st, e) // in front of the first unit
	}
	got := "bytes that are none"
	if err == nil {
		got = fmt.Sprintf("one of %d bytes at %d", u.Size, u.PhysicalOffset)
	}
	p.tell(st, e.QueueOffset, fmt.Sprintf("a unit of %d bytes at %d", e.Size, e.PhysicalOffset), got)
	st.stale()
	p.rep.UnitsRewritten++
	return st.q.Rewrite(e.QueueOffset, *e)
}

// cutAndAppend mends a queue whose units from an offset on cannot stay, and in a batch
// queue cannot be replaced by others that hold more or fewer messages. The replay gives
// it the rest again.
func (p *replay) cutAndAppend(st *queueState, from int64, e *consumequeue.Entry) error {
	if err := p.cutBack(st, from); err != nil {
		return err
	}
	if st.max() != e.QueueOffset && !st.empty() {
		return p.renumber(st, e)
	}
	return p.append(st, e)
}

// cutBack takes the units from an offset on away, to be made again.
func (p *replay) cutBack(st *queueState, offset int64) error {
	st.trustEnd = 0
	return st.cutTo(offset)
}

// confirm decides about a record out of line by the next one of its queue.
func (p *replay) confirm(st *queueState, e *consumequeue.Entry) error {
	h := st.held.entry
	st.held = nil
	missing := e.QueueOffset - nextOf(&h)
	believed := e.QueueOffset != st.next && missing >= 0 && missing <= p.damage.room(endOf(&h), e.PhysicalOffset)
	if believed && missing > 0 && h.QueueOffset < st.next {
		var err error
		if believed, err = p.anew(st, &h); err != nil {
			return err
		}
	}
	if believed {
		return p.jump(st, &h)
	}
	p.misnumbered(st, &h)
	return nil
}

// begin meets the first records of a queue. Where the log has its beginning, or the
// queue has units, a first number that no unit confirms is left to the next record: it
// confirms it, unless its own is no higher.
func (p *replay) begin(st *queueState, e *consumequeue.Entry) error {
	if st.held != nil {
		h := st.held.entry
		st.held = nil
		if e.QueueOffset > h.QueueOffset {
			if err := p.first(st, &h); err != nil {
				return err
			}
			return p.take(st, e)
		}
		p.misnumbered(st, &h)
	}
	if begins := p.log0 || !st.empty(); begins && e.QueueOffset > p.damage.room(0, e.PhysicalOffset) && !record.HasRecordCRC(p.bytes) {
		if agrees, err := p.agrees(st, e); err != nil {
			return err
		} else if !agrees {
			st.held = &held{entry: *e}
			return nil
		}
	}
	return p.first(st, e)
}

// first takes the first record that the log still has for a queue.
func (p *replay) first(st *queueState, e *consumequeue.Entry) error {
	has := st.max()
	st.known, st.next = true, e.QueueOffset
	switch {
	case st.empty():
		if p.log0 && e.QueueOffset > 0 && e.QueueOffset <= p.damage.room(0, e.PhysicalOffset) {
			st.next = 0
			return p.jump(st, e)
		}
		return p.accept(st, e)
	case e.QueueOffset > has && e.PhysicalOffset < st.trustEnd:
		return p.accept(st, e)
	case e.QueueOffset > has:
		st.next = has
		st.lastEnd = max(st.q.MaxPhysical(), p.min)
		if e.QueueOffset-has <= p.damage.room(st.lastEnd, e.PhysicalOffset) {
			return p.jump(st, e)
		}
		return p.renumber(st, e)
	case e.QueueOffset < st.q.MinOffset():
		return p.renumber(st, e) // the front is gone, but the log still has it
	}
	if ok, err := p.frontIsOld(st, e.QueueOffset); err != nil {
		return err
	} else if !ok {
		return p.renumber(st, e)
	}
	return p.accept(st, e)
}

// frontIsOld tells whether the unit in front of a queue's first record may stay:
// its record has left the log, is damaged, or is newer than the one behind it
// because the numbering began anew.
func (p *replay) frontIsOld(st *queueState, offset int64) (bool, error) {
	if offset <= st.q.MinOffset() {
		return true, nil
	}
	var one [1]consumequeue.Unit
	n, err := st.q.Read(offset-1, one[:])
	if err != nil {
		if isCorrupt(err) {
			err = nil
		}
		return false, err
	}
	u := &one[0]
	return n == 1 && (u.PhysicalOffset < p.min || p.damage.holds(u) || p.look.backs(u, st.topic, st.id, p.end)), nil
}

// jump takes a record whose offset is not the next one, now that it is sure.
func (p *replay) jump(st *queueState, e *consumequeue.Entry) error {
	switch {
	case e.QueueOffset == st.next:
		return p.accept(st, e)
	case e.QueueOffset < st.next:
		return p.restart(st, e)
	}
	return p.hole(st, e)
}

// restart follows a numbering that went back: the topic was deleted and made
// again, or offsets were given out twice. The later records count.
func (p *replay) restart(st *queueState, e *consumequeue.Entry) error {
	p.tell(st, e.QueueOffset, fmt.Sprintf("offset %d in the record at %d", st.next, e.PhysicalOffset), fmt.Sprint(e.QueueOffset))
	if err := st.flush(); err != nil {
		return err
	}
	st.next = e.QueueOffset
	if e.QueueOffset >= st.max() {
		return p.accept(st, e)
	}
	u, found, err := st.unit(e.QueueOffset)
	if err != nil && !isCorrupt(err) {
		return err
	}
	if err == nil && found && u.PhysicalOffset >= e.PhysicalOffset {
		return p.accept(st, e)
	}
	if err := p.cutBack(st, e.QueueOffset); err != nil {
		return err
	}
	if st.max() != e.QueueOffset {
		return p.renumber(st, e)
	}
	return p.accept(st, e)
}

// renumber begins a queue anew at a record: what stands there does not lead up
// to it.
func (p *replay) renumber(st *queueState, e *consumequeue.Entry) error {
	p.tell(st, e.QueueOffset, fmt.Sprintf("units that lead up to offset %d", e.QueueOffset),
		fmt.Sprintf("units up to %d; kept aside", st.max()))
	if err := st.flush(); err != nil {
		return err
	}
	st.stale()
	if st.q != nil {
		if err := st.q.Reset(p.in.Layout.Aside()); err != nil {
			return err
		}
	}
	st.trustEnd, st.found, st.next, st.lastEnd = 0, 0, nextOf(e), endOf(e)
	return p.append(st, e)
}

// misnumbered leaves a record out whose offset fits nowhere.
func (p *replay) misnumbered(st *queueState, e *consumequeue.Entry) {
	p.rep.Isolated++
	p.tell(st, e.QueueOffset, fmt.Sprintf("offset %d in the record at %d", st.next, e.PhysicalOffset), fmt.Sprint(e.QueueOffset))
	// Its own number is missing now; a unit for it may point into it, off by one,
	// so that it is not taken for what it claims to be.
	p.damage.add(Damage{Offset: e.PhysicalOffset + 1, Next: endOf(e), Err: fmt.Errorf("queue offset %d fits no queue", e.QueueOffset)})
}
