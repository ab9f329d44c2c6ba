package recoverer

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/consumequeue"
)

// settle ends a replay: every queue ends where the log says.
func (p *replay) settle() error {
	all := p.sorted()
	for _, st := range all {
		if err := p.settleHeld(st); err != nil {
			return err
		}
	}
	if err := p.flush(); err != nil {
		return err
	}
	for _, st := range all {
		if st.q == nil {
			continue
		}
		if err := p.settleEnd(st); err != nil {
			return err
		}
		if err := p.renew(st); err != nil {
			return err
		}
	}
	return nil
}

// renew does not believe the page cache after an unclean stop: the units that no
// summary claims are written again.
func (p *replay) renew(st *queueState) error {
	if p.in.Clean || st.q.MaxOffset() == st.synced || st.q.MaxOffset() == st.q.MinOffset() {
		return nil
	}
	return st.q.Renew(st.synced)
}

// fewMissing is how many records in front of the last one of a queue may have lost
// their names; that more have is less likely than one number with a wrong bit.
const fewMissing = 8

// settleHeld decides about a record out of line that no other has confirmed: it
// counts if a unit points at it, if it begins the numbering anew, or if those that
// are missing may have stood in front of it, where others are now: what names a
// record's queue may be damaged, too.
func (p *replay) settleHeld(st *queueState) error {
	if st.held == nil {
		return nil
	}
	e, first := st.held.entry, !st.known
	st.held = nil
	if first {
		return p.first(st, &e)
	}
	believed, err := p.agrees(st, &e)
	if err == nil && !believed && e.QueueOffset == 0 {
		believed, err = p.anew(st, &e)
	}
	if err != nil {
		return err
	}
	if missing := e.QueueOffset - st.next; believed || missing > 0 && missing <= min(fewMissing, (e.PhysicalOffset-st.lastEnd)/smallestRecord) {
		return p.jump(st, &e)
	}
	p.misnumbered(st, &e)
	return nil
}

// anew tells whether a record whose number is below the next one begins the numbering
// anew there, though none behind it says so. Where the unit of an older record has
// stood under that number, the topic was not deleted in between: the number is wrong.
func (p *replay) anew(st *queueState, e *consumequeue.Entry) (bool, error) {
	if e.QueueOffset >= st.found {
		return true, nil
	}
	u, found, err := st.unit(e.QueueOffset)
	if err != nil {
		if isCorrupt(err) {
			err = nil
		}
		return true, err
	}
	return !found || u.PhysicalOffset >= e.PhysicalOffset || !p.look.backs(&u, st.topic, st.id, p.end), nil
}

// settleEnd cuts what a queue has behind its last record. Units that point at
// damage stay: their numbers are taken.
func (p *replay) settleEnd(st *queueState) error {
	end := st.q.MaxOffset()
	if !st.known {
		return p.settleUnknown(st)
	}
	keep := st.next
	for keep < end {
		u, found, err := st.unit(keep)
		if err != nil && !isCorrupt(err) {
			return err
		}
		if err != nil || !found || !p.damage.holds(&u) {
			break
		}
		keep += max(int64(u.Num), 1)
	}
	if keep >= end {
		return nil
	}
	p.tell(st, keep, "no unit behind the last record", fmt.Sprintf("%d", end-keep))
	p.rep.UnitsCut += end - keep
	return st.cutTo(keep)
}

// settleUnknown: the log has no record of this queue in what was replayed. Its
// units are those that strip has left; an empty one that is new to us goes.
func (p *replay) settleUnknown(st *queueState) error {
	if st.unclear {
		// The log has been read by now.
		p.unscanned = p.min
		if err := p.strip(st); err != nil {
			return err
		}
	}
	if st.summed || st.q.MaxOffset() > 0 {
		return nil
	}
	if st.kind == consumequeue.Batch && st.q.MaxPhysical() >= 0 {
		return nil
	}
	return st.q.Destroy()
}

// ends describes the queues that the replay has met so far.
func (p *replay) ends() []checkpoint.QueueEnd {
	ends := make([]checkpoint.QueueEnd, 0, len(p.states))
	for _, st := range p.sorted() {
		if st.q == nil || !st.known {
			continue
		}
		e := st.q.Summary()
		e.MaxOffset = st.next
		e.MinOffset = min(e.MinOffset, e.MaxOffset)
		ends = append(ends, e)
	}
	return ends
}
