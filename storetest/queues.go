package storetest

import (
	"fmt"
	"strings"
)

// pointed is I5: unit i of a queue points at the record whose queue offset is i
// and which lies below confirm; and what is dispatched has its unit.
func (l *look) pointed(reset map[string]bool) (list []Violation) {
	m := l.state.Watermarks
	records := make(map[queueKey]map[int64]entry)
	for _, e := range l.entries {
		if e.blank || e.broken != nil || e.apart {
			continue
		}
		if records[e.queue] == nil {
			records[e.queue] = make(map[int64]entry)
		}
		records[e.queue][e.number] = e
	}
	for key, q := range l.queues {
		bad := func(format string, args ...any) {
			list = append(list, Violation{"I5", fmt.Sprintf("%s-%d: ", key.topic, key.id) + fmt.Sprintf(format, args...)})
		}
		if q.broken != nil {
			bad("cannot be read: %v", q.broken)
			continue
		}
		for i, u := range q.units {
			e, there := records[key][u.number]
			switch {
			case u.number != q.min+int64(i):
				bad("unit %d gives the record with queue offset %d", q.min+int64(i), u.number)
			case u.offset+int64(u.size) > m.Confirm:
				bad("unit %d points at [%d, %d), above confirm at %d", u.number, u.offset, u.offset+int64(u.size), m.Confirm)
			case u.offset >= m.Min && (!there || e.offset != u.offset):
				bad("unit %d points at %d, the log has that message at %d", u.number, u.offset, e.offset)
			}
		}
		if n := q.min + int64(len(q.units)); n != q.max {
			bad("ends at %d, but only the units below %d can be read", q.max, n)
		}
	}
	if l.shardParked() || l.behind() {
		return list
	}
	for key, of := range records {
		if reset[key.topic] {
			continue // which of them are still to be found, the log does not say
		}
		for number, e := range of {
			q := l.queues[key]
			if e.offset+int64(e.size) <= m.Dispatched && (q == nil || number < q.min || number >= q.max) {
				list = append(list, Violation{"I5", fmt.Sprintf("%s-%d: the record at %d, below dispatched at %d, has no unit %d", key.topic, key.id, e.offset, m.Dispatched, number)})
			}
		}
	}
	return list
}

// shardParked tells whether some of the queues stand still for good.
func (l *look) shardParked() bool {
	for name := range l.parked {
		if strings.HasPrefix(name, "queues-") {
			return true
		}
	}
	return false
}

// behind tells of a store that is not running and was not closed in order: the
// next start makes up for what its queues lack.
func (l *look) behind() bool { return !l.running && !l.clean }
