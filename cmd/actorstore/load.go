package main

import (
	"context"
	"strconv"
	"sync"
	"time"

	"github.com/actorstore/actorstore"
)

// benchTopic is where the bench puts; the Java bench uses the same.
const benchTopic = "bench"

// load says what to put. Producer p puts its k-th message to queue (p+k) mod
// queues with body (7919p+k) mod bodies, as the Java bench does.
type load struct {
	producers, window, size, count, queues, warmup, readers, bodies int
	seed                                                            int64
	keyed                                                           bool
}

const bodyStride = 7919

// makeBodies makes the bodies before any clock starts.
func (l *load) makeBodies() [][]byte {
	random := newJavaRandom(l.seed)
	bodies := make([][]byte, l.bodies)
	for i := range bodies {
		bodies[i] = make([]byte, l.size)
		random.fill(bodies[i])
	}
	return bodies
}

// producer puts its share. All its memory is made before the clock starts: the
// loop itself allocates nothing.
type producer struct {
	store  *actorstore.Store
	load   *load
	bodies [][]byte
	number int
	share  int
	start  time.Time // of all producers; latencies are differences to it

	messages []actorstore.Message
	pending  []actorstore.Pending
	began    []time.Duration
	latency  histogram
}

func newProducer(s *actorstore.Store, l *load, bodies [][]byte, number, count int) *producer {
	share := count / l.producers
	if number < count%l.producers {
		share++
	}
	p := &producer{store: s, load: l, bodies: bodies, number: number, share: share,
		messages: make([]actorstore.Message, l.window), pending: make([]actorstore.Pending, l.window),
		began: make([]time.Duration, l.window)}
	for i := range p.messages {
		p.messages[i].Topic = benchTopic
		if l.keyed {
			p.messages[i].Properties = make(actorstore.Properties, 0, 64)
		}
	}
	return p
}

// message makes the k-th message in place.
func (p *producer) message(k int, m *actorstore.Message) {
	m.QueueID = int32((p.number + k) % p.load.queues)
	m.Body = p.bodies[(p.number*bodyStride+k)%len(p.bodies)]
	if p.load.keyed {
		b := append(m.Properties[:0], "KEYS\x01k"...)
		b = strconv.AppendInt(b, int64(p.number), 10)
		b = append(b, '-')
		b = strconv.AppendInt(b, int64(k), 10)
		m.Properties = append(b, "\x02TAGS\x01TagA\x02"...)
	}
}

func (p *producer) run(ctx context.Context) error {
	if p.load.window == 1 {
		return p.closed(ctx)
	}
	return p.pipelined(ctx)
}

// closed puts, waits for the answer and puts the next.
func (p *producer) closed(ctx context.Context) error {
	m := &p.messages[0]
	for k := range p.share {
		p.message(k, m)
		began := time.Since(p.start)
		if _, err := p.store.Put(ctx, m); err != nil {
			return err
		}
		p.latency.add(time.Since(p.start) - began)
	}
	return nil
}

// pipelined has up to a window of puts unanswered, and takes answers in order.
func (p *producer) pipelined(ctx context.Context) error {
	window := p.load.window
	var err error
	for k := range p.share {
		slot := k % window
		if k >= window {
			if err := p.oldest(ctx, slot); err != nil {
				return err
			}
		}
		p.message(k, &p.messages[slot])
		p.began[slot] = time.Since(p.start)
		if p.pending[slot], err = p.store.Begin(&p.messages[slot]); err != nil {
			return err
		}
	}
	for k := max(0, p.share-window); k < p.share; k++ {
		if err := p.oldest(ctx, k%window); err != nil {
			return err
		}
	}
	return nil
}

func (p *producer) oldest(ctx context.Context, slot int) error {
	if _, err := p.pending[slot].Wait(ctx); err != nil {
		return err
	}
	p.latency.add(time.Since(p.start) - p.began[slot])
	return nil
}

// together runs all of them at once and gives the first error.
func together(n int, f func(i int) error) error {
	errs := make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { errs[i] = f(i) })
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
