package commitlog

import (
	"errors"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// ResyncPast is Resync behind a bad place of any kind: cause is what stands there.
// Pages that cannot be read, there or farther on, in whichever segments, are stepped
// over one by one. It needs no mapped.Guard around it. Where it reports false Pos may
// have moved.
func (s *Scanner) ResyncPast(cause error) (next int64, found bool) {
	s.pos = max(s.lastOfPage(cause), s.pos)
	for {
		err := mapped.Guard(func() { next, found = s.Resync() })
		if err == nil {
			return next, found
		}
		at := s.lastOfPage(err)
		if at <= s.pos {
			at = s.pos + pageSize // whatever a fault says of its place, the search moves on
		}
		s.pos = at
	}
}

// lastOfPage is the last byte of the page that cannot be read: a resync looks from
// the next one on. The page lies in the segment that the cursor holds, which need not
// be that of Pos. What is no fault there says nothing of the log: -1.
func (s *Scanner) lastOfPage(err error) int64 {
	var fault *mapped.FaultError
	if !errors.As(err, &fault) {
		return -1
	}
	at, ok := fault.In(s.cur.mem)
	if !ok {
		return -1
	}
	return s.cur.base + (int64(at)/pageSize+1)*pageSize - 1
}
