package recoverer

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
)

// choose gives every queue its state: known to be right up to where the replay
// begins, or to be checked unit by unit.
func (r *recovery) choose(p *replay) error {
	if r.plan.Trusted && r.in.Summary.Dispatched > r.rep.End {
		r.plan.Trusted = false
		r.plan.WhyAll = fmt.Sprintf("the queue summary ends at offset %d, the log at %d", r.in.Summary.Dispatched, r.rep.End)
	}
	if !r.plan.Trusted {
		r.plan.ReplayFrom, p.all = r.rep.Min, r.rep.Min
	} else {
		for i := range r.in.Summary.Queues {
			s := &r.in.Summary.Queues[i]
			if r.in.Deleted.Covers(s.Topic, r.in.Summary.Dispatched-1) {
				continue // deleted since; what it has now lies behind the summary
			}
			p.adopt(s, r.in.Summary.Dispatched)
		}
	}
	for q := range r.in.Queues.All() {
		key := queueKey{q.Topic(), q.ID()}
		st := p.states[key]
		if st == nil {
			st = newState(q, key)
			st.checked = !r.plan.Trusted
			p.states[key] = st
		}
		if st.summed {
			continue
		}
		if err := p.strip(st); err != nil {
			return err
		}
		if r.plan.Trusted && (st.unclear || st.trustEnd > p.min && st.trustEnd <= p.all) {
			st.checked = true // the summary should have known it
		}
	}
	for _, st := range p.sorted() {
		if !st.checked {
			continue
		}
		r.rep.QueuesChecked++
		if err := p.searchable(st); err != nil {
			return err
		}
	}
	return nil
}

// searchable makes sure that a batch queue can be searched: its units are found
// by their contents, so one that is damaged hides others. Such a queue is made
// anew; the log has all that it says.
func (p *replay) searchable(st *queueState) error {
	if st.q == nil || st.kind != consumequeue.Batch {
		return nil
	}
	var buf [largeWindow]consumequeue.Unit
	next := st.q.MinOffset()
	for next < st.q.MaxOffset() {
		n, err := st.q.Read(next, buf[:])
		if err != nil && !isCorrupt(err) {
			return err
		}
		for i := range buf[:n] {
			if u := &buf[i]; err == nil && u.Base != next {
				err = &record.CorruptionError{Want: fmt.Sprintf("a unit for offset %d", next), Got: fmt.Sprintf("one for %d", u.Base), Next: -1}
			}
			next += max(int64(buf[i].Num), 1)
		}
		if err == nil && n > 0 {
			continue
		}
		p.tell(st, next, "units that follow each other", fmt.Sprint(err))
		st.trustEnd = 0
		return st.q.Reset(p.in.Layout.Aside())
	}
	return nil
}

// adopt believes the summary about one queue if the queue agrees with it.
func (p *replay) adopt(s *checkpoint.QueueEnd, dispatched int64) {
	key := queueKey{s.Topic, s.QueueID}
	q := p.in.Queues.Queue(s.Topic, s.QueueID)
	st := newState(q, key)
	p.states[key] = st
	if q == nil {
		st.kind = consumequeue.Kind(s.Kind)
	}
	why := p.disagrees(s, q, dispatched, &st.lastEnd)
	if q != nil && why == "" {
		// A damaged unit in the way of the search is one more reason to look.
		if err := q.CorrectMin(p.min); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		st.checked = true
		if _, deleted := p.in.Deleted[s.Topic]; !deleted { // it may have been between the look and the summary
			p.tell(st, s.MaxOffset, "the end that the summary tells", why)
		}
		return
	}
	st.summed, st.known, st.next, st.synced = true, q != nil, s.MaxOffset, s.MaxOffset
}

// disagrees says why a queue is not what the summary tells; "" if it is.
func (p *replay) disagrees(s *checkpoint.QueueEnd, q *consumequeue.Queue, dispatched int64, lastEnd *int64) string {
	switch {
	case q == nil && s.MaxOffset == 0:
		return ""
	case q == nil:
		return "no queue"
	case q.Kind() != consumequeue.Kind(s.Kind):
		return "a " + q.Kind().String()
	case q.MaxOffset() < s.MaxOffset:
		return "an end at " + strconv.FormatInt(q.MaxOffset(), 10)
	case s.MaxOffset == s.MinOffset:
		return ""
	}
	if q.MinOffset() > s.MinOffset {
		u, ok := firstUnit(q)
		if !ok || u.PhysicalOffset >= p.min {
			return "a first unit at " + strconv.FormatInt(q.MinOffset(), 10)
		}
	}
	var one [1]consumequeue.Unit
	n, err := q.Read(s.MaxOffset-1, one[:])
	u := &one[0]
	switch {
	case errors.Is(err, consumequeue.ErrOffsetTooSmall):
		return ""
	case err != nil:
		return err.Error()
	case n == 0 || u.Base+max(int64(u.Num), 1) != s.MaxOffset:
		return "no unit that ends there"
	case u.PhysicalOffset < p.min:
		*lastEnd = p.min
		return ""
	case !p.look.backs(u, q.Topic(), q.ID(), dispatched):
		return fmt.Sprintf("a last unit that points at %d, where no such record is", u.PhysicalOffset)
	}
	*lastEnd = u.PhysicalOffset + int64(u.Size)
	if n, err := q.Read(s.MaxOffset, one[:]); n == 1 && err == nil && p.look.backs(u, q.Topic(), q.ID(), dispatched) {
		return "units behind that for records below offset " + strconv.FormatInt(dispatched, 10)
	}
	return ""
}

// strip cuts the units at the end of a queue that point at no record of it. What
// is left ends with a unit that is right, points at damage, or whose record has
// left the log.
func (p *replay) strip(st *queueState) error {
	q := st.q
	if q == nil {
		return nil
	}
	lo, hi := q.MinOffset(), q.MaxOffset()
	keep := hi
	var buf [largeWindow]consumequeue.Unit
	for keep > lo {
		from := max(keep-largeWindow, lo)
		n, err := q.Read(from, buf[:keep-from])
		if err != nil && !isCorrupt(err) {
			return err
		}
		k := n
		for k > 0 && !p.right(&buf[k-1], st) {
			k--
		}
		if k > 0 {
			keep = buf[k-1].Base + max(int64(buf[k-1].Num), 1)
			p.trust(st, buf[:k])
			break
		}
		keep = from
		if st.kind == consumequeue.Batch && n > 0 && buf[0].Base > from {
			if keep, err = endInFront(q, buf[0].Base, lo, from); err != nil {
				return err
			}
		}
	}
	if keep == hi {
		return nil
	}
	p.tell(st, keep, "units that point at records of the log", fmt.Sprintf("%d that do not", hi-keep))
	p.rep.UnitsCut += hi - keep
	return st.cutTo(keep)
}

// trust believes the last of the units that a record backs. One that points at damage
// may stand for a record of any place: it is not for it to say which ones are old.
func (p *replay) trust(st *queueState, units []consumequeue.Unit) {
	for i := len(units) - 1; i >= 0 && !st.unclear; i-- {
		if u := &units[i]; p.look.backs(u, st.topic, st.id, p.end) {
			st.trustEnd = u.PhysicalOffset + int64(u.Size)
			return
		}
	}
}

// endInFront is where the unit in front of the one at base ends, in a batch queue
// whose damaged bases may leave gaps of any size.
func endInFront(q *consumequeue.Queue, base, lo, hi int64) (int64, error) {
	var one [1]consumequeue.Unit
	for lo < hi {
		mid := lo + (hi-lo)/2
		n, err := q.Read(mid, one[:])
		if err != nil && !isCorrupt(err) {
			return 0, err
		}
		if n == 1 && one[0].Base >= base {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo, nil
}

// right tells whether the last unit of a queue may stay. In a part of the log
// that has not been scanned a unit may point at damage that is not known yet:
// that is unclear until the replay has been there.
func (p *replay) right(u *consumequeue.Unit, st *queueState) bool {
	end := u.PhysicalOffset + int64(u.Size)
	switch {
	case end > p.end:
		return false
	case u.PhysicalOffset < p.min, p.damage.holds(u), p.look.backs(u, st.topic, st.id, p.end):
		return true
	}
	st.unclear = u.PhysicalOffset < p.unscanned && !p.look.whole(u.PhysicalOffset, p.end)
	return st.unclear
}
