package actors

import (
	"errors"
	"sync/atomic"

	"github.com/actorstore/actorstore/reader"
)

// ErrBusy is what errors.Is finds when too many bytes of puts are unanswered
// (OS_PAGE_CACHE_BUSY): the put was refused at once and may be tried later.
var ErrBusy = errors.New("too many bytes in flight")

// ErrClosed is what errors.Is finds when the store is closing or closed.
var ErrClosed = reader.ErrClosed

// admission bounds the bytes of puts that are accepted and unanswered (A2). It
// is the only limit in the store: behind it no mailbox can grow.
type admission struct {
	inFlight atomic.Int64
	limit    int64
	closed   atomic.Pointer[error] // why nobody is let in any more
	idle     chan struct{}         // closed when closed and nothing is in flight
	signaled atomic.Bool
}

func newAdmission(limit int64) *admission {
	return &admission{limit: limit, idle: make(chan struct{})}
}

// enter accepts n bytes, or tells why not. One put is always accepted, however
// large.
func (a *admission) enter(n int64) error {
	if now := a.inFlight.Add(n); now > a.limit && now > n {
		a.leave(n)
		return ErrBusy
	}
	if cause := a.closed.Load(); cause != nil { // after Add: close sees either the bytes or nobody
		a.leave(n)
		return *cause
	}
	return nil
}

// leave gives n bytes back.
func (a *admission) leave(n int64) {
	if a.inFlight.Add(-n) == 0 && a.closed.Load() != nil {
		a.signal()
	}
}

// close refuses everybody from now on; the first cause stays. The channel is
// closed when all that were accepted have been answered.
func (a *admission) close(cause error) <-chan struct{} {
	a.closed.CompareAndSwap(nil, &cause)
	if a.inFlight.Load() == 0 {
		a.signal()
	}
	return a.idle
}

func (a *admission) signal() {
	if a.signaled.CompareAndSwap(false, true) {
		close(a.idle)
	}
}
