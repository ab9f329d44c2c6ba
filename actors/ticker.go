package actors

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/asynkron/protoactor-go/actor"
)

// tick is what a ticker sends. The receiver calls took when it comes to it.
type tick struct{ queued atomic.Bool }

func (t *tick) took() { t.queued.Store(false) }

// ticker sends ticks to an actor at an interval, at most one at a time.
type ticker struct {
	done chan struct{}
	once sync.Once
}

// every starts a ticker. It must be stopped when its actor stops or restarts.
func every(system *actor.ActorSystem, pid *actor.PID, interval time.Duration, f Faults) *ticker {
	t := &ticker{done: make(chan struct{})}
	message := &tick{}
	deliver := func() { send(system, pid, message) }
	go func() {
		clock := time.NewTicker(interval)
		defer clock.Stop()
		for {
			select {
			case <-t.done:
				return
			case <-clock.C:
				if !message.queued.CompareAndSwap(false, true) {
					continue
				}
				if f != nil {
					f.Signal(nameOf(pid), StepTick, deliver, message.took)
				} else {
					deliver()
				}
			}
		}
	}()
	return t
}

// stop ends the ticker; nil and stopped ones too.
func (t *ticker) stop() {
	if t != nil {
		t.once.Do(func() { close(t.done) })
	}
}
