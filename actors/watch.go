package actors

import "time"

// beat is what the watch sees of an actor at one look.
type beat struct {
	moved int64         // grows with whatever the actor does
	owes  bool          // it should grow
	busy  bool          // the actor has a message in hand, or some wait for it
	disk  bool          // what it has in hand is a sync
	slack time.Duration // how much longer than others it may rest
}

// verdict is what the watch makes of a look.
type verdict uint8

const (
	well    verdict = iota // it moves, or has nothing to do
	stands                 // it does not move though it should
	tooLong                // and now for too long
	movesOn                // it had stood too long, and moves again
)

// standing is what the watch remembers of an actor. It knows no clock: who looks
// says what time it is.
type standing struct {
	moved int64
	last  time.Time     // when it was looked at, zero before that
	stood time.Duration // for how long it was seen where it stands
	hung  bool          // for too long
}

// look takes in what an actor shows now. It hangs once it has owed progress at
// all looks for longer than limit and its slack, without any. What lies between
// two looks counts for half of the limit at most: if the watch was held up,
// perhaps the whole process was.
func (s *standing) look(b beat, now time.Time, limit time.Duration) verdict {
	if s.last.IsZero() || !b.owes || b.moved != s.moved {
		was := s.hung
		*s = standing{moved: b.moved, last: now}
		if was {
			return movesOn
		}
		return well
	}
	s.stood += min(now.Sub(s.last), limit/2)
	s.last = now
	if !s.hung && s.stood >= limit+b.slack {
		s.hung = true
		return tooLong
	}
	return stands
}
