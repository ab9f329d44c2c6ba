package reader

import (
	"container/heap"
	"context"
	"sync"
	"sync/atomic"
)

// Notifier wakes those who wait for messages of a queue (RocketMQ's long
// polling). Every waiter has its own offset and is woken by nothing else (G7).
type Notifier struct {
	max     func(topic string, queueID int32) int64
	waiting atomic.Int64 // waiters that are registered or about to look

	closed atomic.Pointer[error] // set under mu

	mu     sync.Mutex
	queues map[queueKey]*waiters
	stalls func(topic string, queueID int32) error // why a queue does not grow
}

type queueKey struct {
	topic string
	id    int32
}

// NewNotifier makes a notifier. max gives a queue's end at this moment, 0 for a
// queue that is not there; who moves it calls Advanced afterwards.
func NewNotifier(max func(topic string, queueID int32) int64) *Notifier {
	return &Notifier{max: max, queues: make(map[queueKey]*waiters)}
}

// Notifier makes a notifier for the queues that r reads.
func (r *Reader) Notifier() *Notifier {
	return NewNotifier(func(topic string, queueID int32) int64 {
		q, err := r.queue(topic, queueID)
		if q == nil || err != nil {
			return 0
		}
		return q.MaxOffset()
	})
}

// Wait returns nil as soon as the queue's end lies above offset, which may be at
// once. The queue need not exist yet. Errors: the context's, ErrDeleted,
// ErrClosed or what Close was given, and what Stall was given for the queue.
func (n *Notifier) Wait(ctx context.Context, topic string, queueID int32, offset int64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w := &waiter{offset: offset, done: make(chan error, 1)}
	// Registered first, looked second: whoever moves the end in between sees the
	// waiter, and whoever moved it before is seen by it.
	n.waiting.Add(1)
	defer n.waiting.Add(-1)
	if err := n.add(queueKey{topic, queueID}, w); err != nil {
		return err
	}
	if n.max(topic, queueID) > offset {
		n.remove(queueKey{topic, queueID}, w)
		return nil
	}
	if err := n.stalled(topic, queueID); err != nil {
		n.remove(queueKey{topic, queueID}, w)
		return err
	}
	select {
	case err := <-w.done:
		return err
	case <-ctx.Done():
		n.remove(queueKey{topic, queueID}, w)
		select {
		case err := <-w.done: // the message came first
			return err
		default:
			return ctx.Err()
		}
	}
}

// Advanced tells that a queue's end is now max. It costs one atomic load while
// nobody waits in the whole store.
func (n *Notifier) Advanced(topic string, queueID int32, max int64) {
	if n.waiting.Load() == 0 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	key := queueKey{topic, queueID}
	ws := n.queues[key]
	if ws == nil {
		return
	}
	for len(*ws) > 0 && (*ws)[0].offset < max {
		heap.Pop(ws).(*waiter).done <- nil
	}
	if len(*ws) == 0 {
		delete(n.queues, key)
	}
}

// Delete wakes all waiters of a topic with ErrDeleted.
func (n *Notifier) Delete(topic string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for key, ws := range n.queues {
		if key.topic == topic {
			ws.end(ErrDeleted)
			delete(n.queues, key)
		}
	}
}

// Close wakes all waiters with cause (ErrClosed if nil), and so ends every later
// Wait. The first cause stays.
func (n *Notifier) Close(cause error) {
	if cause == nil {
		cause = ErrClosed
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.closed.CompareAndSwap(nil, &cause)
	for key, ws := range n.queues {
		ws.end(n.Closed())
		delete(n.queues, key)
	}
}

// Closed is what Close was given first, nil before.
func (n *Notifier) Closed() error {
	if cause := n.closed.Load(); cause != nil {
		return *cause
	}
	return nil
}

// Stall tells that some queues do not grow: of those stalls gives an error, with
// which everybody ends who waits for them, now and later.
func (n *Notifier) Stall(stalls func(topic string, queueID int32) error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.stalls = stalls
	for key, ws := range n.queues {
		if err := stalls(key.topic, key.id); err != nil {
			ws.end(err)
			delete(n.queues, key)
		}
	}
}

func (n *Notifier) stalled(topic string, queueID int32) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.stalls == nil {
		return nil
	}
	return n.stalls(topic, queueID)
}

// Waiting is how many calls of Wait are under way.
func (n *Notifier) Waiting() int { return int(n.waiting.Load()) }

func (n *Notifier) add(key queueKey, w *waiter) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if err := n.Closed(); err != nil {
		return err
	}
	ws := n.queues[key]
	if ws == nil {
		ws = new(waiters)
		n.queues[key] = ws
	}
	heap.Push(ws, w)
	return nil
}

// remove takes a waiter out if it is still in.
func (n *Notifier) remove(key queueKey, w *waiter) {
	n.mu.Lock()
	defer n.mu.Unlock()
	ws := n.queues[key]
	if ws == nil || w.at < 0 {
		return
	}
	heap.Remove(ws, w.at)
	if len(*ws) == 0 {
		delete(n.queues, key)
	}
}
