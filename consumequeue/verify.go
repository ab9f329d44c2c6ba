package consumequeue

import "fmt"

// Verify reads every unit from a queue offset on and proves what Load only
// samples: each is written, and their records follow each other in the log.
// good is the queue offset up to which that is so; with damage behind it err is
// *record.CorruptionError, and TruncateTo(good) leaves a sound queue. It sees
// the queue as it is at the call.
func (q *Queue) Verify(from int64) (good int64, err error) {
	if err := q.Load(); err != nil {
		return q.MaxOffset(), err
	}
	var prev Unit
	units := make([]Unit, 128)
	at := max(from, q.MinOffset())
	for end := q.MaxOffset(); at < end; {
		n, err := q.Read(at, units)
		if err == ErrOffsetTooSmall {
			at = q.MinOffset()
			continue
		}
		if err != nil || n == 0 {
			return at, err
		}
		for i := range units[:n] {
			u := &units[i]
			if u.PhysicalOffset < prev.end() || u.Base < prev.next() {
				return max(at, prev.next()), damaged(q.dir(), u.Base,
					fmt.Sprintf("a unit behind physical offset %d", prev.end()), fmt.Sprintf("one at %d", u.PhysicalOffset))
			}
			prev = *u
		}
		at = prev.next()
	}
	return at, nil
}
