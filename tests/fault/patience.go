package fault

import (
	"context"
	"sync/atomic"
	"time"
)

// step is the time that patience counts in.
const step = 50 * time.Millisecond

// patience is how long a call has been waited for. It counts steps in which the
// process ran: one that was stopped meanwhile has not waited, and nobody hangs.
type patience struct {
	limit  time.Duration
	steps  atomic.Int64
	done   atomic.Bool
	cancel context.CancelFunc
	first  *time.Timer
}

// wait gives a context that ends when patience does.
func wait(limit time.Duration) (context.Context, *patience) {
	ctx, cancel := context.WithCancel(context.Background())
	p := &patience{limit: limit, cancel: cancel}
	p.first = time.AfterFunc(step, p.tick)
	return ctx, p
}

func (p *patience) tick() {
	switch p.steps.Add(1); {
	case p.done.Load():
	case p.waited() >= p.limit:
		p.cancel()
	default:
		time.AfterFunc(step, p.tick)
	}
}

// waited is how long that was so far.
func (p *patience) waited() time.Duration { return time.Duration(p.steps.Load()) * step }

// end ends the waiting.
func (p *patience) end() {
	p.done.Store(true)
	p.first.Stop()
	p.cancel()
}
