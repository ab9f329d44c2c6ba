package actors

import "sync"

// fence lets an actor that hangs be replaced without ever acting again. The
// actor holds the lock while it does what others could see, and gives it away
// only for what may hang. Whoever replaces it takes the lock then, with TryLock,
// and a new number; the old one finds that it is not its turn any more.
type fence struct {
	sync.Mutex
	turn int64
}

// next is the turn of another one; the lock is held.
func (f *fence) next() int64 {
	f.turn++
	return f.turn
}

// is tells whether it is still somebody's turn; the lock is held.
func (f *fence) is(turn int64) bool { return f.turn == turn }
