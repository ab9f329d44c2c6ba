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

// settleHeld decides about a record out of line that no other has confirmed: it
// counts if a unit points at it, or if it begins the numbering anew.
func (p *replay) settleHeld(st *queueState) error {
	if st.held == nil {
		return nil
	}
	e := st.held.entry
	st.held = nil
	believed, err := p.agrees(st, &e)
	if err != nil {
		return err
	}
	if believed || e.QueueOffset == 0 {
		return p.jump(st, &e)
	}
	p.misnumbered(st, &e)
	return nil
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
