package storetest

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/actorstore/actorstore"
)

// ordered is set while a bubble of Virtual runs.
var ordered atomic.Bool

// turns makes a bubble repeat itself. Go chooses at random among timers of the same
// instant and, with more than one processor, among goroutines that can run. So
// nobody comes to a message, a tick or a put together with another: each one waits
// for an instant of virtual time that is his alone, when everybody else is at rest.
// Which one, is a function of the script: another script, another order.
//
// An instant belongs to whom its remainder by lane says: 1 to 400 to the actors,
// 401 to 799 to ticks and faults that come later, 801 and 802 to callers. Callers sleep
// for round times, and keep their remainder.
type turns struct {
	seed  uint64
	names []string

	mu      sync.Mutex
	count   map[string]uint64
	waiting []*turn // of callers
	free    int64   // the first instant at which none of those before has his turn
}

// turn is a caller who waits for his own.
type turn struct {
	key uint64
	at  chan int64
}

const (
	lane      = 1000 // ns
	lanesWide = 4    // a turn is at most so many lanes away
	tickLane  = 400
	laterLane = 600
	askLane   = 801 // where it is decided which caller comes when
	callLane  = 802
)

// newTurns orders nothing (nil) outside of Virtual.
func newTurns(script Script, names []string) *turns {
	if !ordered.Load() {
		return nil
	}
	return &turns{seed: hash([]byte(script.String())), names: names, count: make(map[string]uint64)}
}

// actor waits for the turn of an actor.
func (o *turns) actor(name string) {
	if o != nil {
		o.wait(name, 1+o.index(name))
	}
}

// tick waits for the turn of an actor's tick.
func (o *turns) tick(name string) {
	if o != nil {
		o.wait("tick "+name, tickLane+1+o.index(name)%200)
	}
}

// later waits for the turn of the n-th fault that comes later.
func (o *turns) later(n int) {
	if o != nil {
		o.wait(fmt.Sprint("later ", n), laterLane+1+n%199)
	}
}

// index of those that the list does not have, such as the watch, is behind it.
func (o *turns) index(name string) int {
	if i := slices.Index(o.names, name); i >= 0 {
		return i % (tickLane - 1)
	}
	return len(o.names) % (tickLane - 1)
}

func (o *turns) wait(name string, remainder int) {
	o.mu.Lock()
	o.count[name]++
	h := fnv.New64a()
	fmt.Fprint(h, o.seed, name, o.count[name])
	o.mu.Unlock()
	now := time.Now().UnixNano()
	until(next(now, int64(remainder)) + int64(h.Sum64()>>32%lanesWide)*lane)
}

// next is the first instant behind now with a remainder.
func next(now, remainder int64) int64 {
	at := now - now%lane + remainder
	if at <= now {
		at += lane
	}
	return at
}

func until(at int64) { time.Sleep(time.Duration(at - time.Now().UnixNano())) }

// caller waits for the turn of a put. Those that come at the same instant are
// ordered by what they put, since nothing else tells them apart.
func (o *turns) caller(m *actorstore.Message) {
	if o == nil {
		return
	}
	h := fnv.New64a()
	fmt.Fprint(h, o.seed, m.Topic, " ", m.QueueID, " ")
	_, _ = h.Write(m.Body)
	t := &turn{h.Sum64(), make(chan int64, 1)}
	o.mu.Lock()
	o.waiting = append(o.waiting, t)
	first, free := len(o.waiting) == 1, o.free
	o.mu.Unlock()
	if first {
		until(next(max(time.Now().UnixNano(), free), askLane))
		o.decide()
	}
	until(<-t.at)
}

// decide gives all callers that wait an instant each.
func (o *turns) decide() {
	o.mu.Lock()
	defer o.mu.Unlock()
	slices.SortStableFunc(o.waiting, func(a, b *turn) int { return cmp.Compare(a.key, b.key) })
	at := next(time.Now().UnixNano(), callLane)
	for _, t := range o.waiting {
		t.at <- at
		at += lane
	}
	o.waiting, o.free = nil, at-lane
}
