package load

import (
	"context"
	"strconv"
	"time"

	"github.com/actorstore/actorstore"
)

// producer puts its share. All its memory is made before the clock starts: the
// loop itself allocates nothing.
type producer struct {
	target Target
	begin  Beginner // nil: one put at a time
	load   *Load
	bodies [][]byte
	number int
	share  int
	start  time.Time // of all producers; latencies are differences to it

	messages []actorstore.Message
	pending  []actorstore.Pending
	began    []time.Duration
	latency  Histogram
}

func newProducer(to Target, l *Load, bodies [][]byte, number, count int) *producer {
	share := count / l.Producers
	if number < count%l.Producers {
		share++
	}
	p := &producer{target: to, load: l, bodies: bodies, number: number, share: share,
		messages: make([]actorstore.Message, l.Window), pending: make([]actorstore.Pending, l.Window),
		began: make([]time.Duration, l.Window)}
	if l.Window > 1 {
		p.begin, _ = to.(Beginner)
	}
	for i := range p.messages {
		p.messages[i].Topic = Topic
		if l.Keyed {
			p.messages[i].Properties = make(actorstore.Properties, 0, 64)
		}
	}
	return p
}

// message makes the k-th message in place.
func (p *producer) message(k int, m *actorstore.Message) {
	m.QueueID = int32((p.number + k) % p.load.Queues)
	m.Body = p.bodies[(p.number*bodyStride+k)%len(p.bodies)]
	if p.load.Keyed {
		b := append(m.Properties[:0], "KEYS\x01k"...)
		b = strconv.AppendInt(b, int64(p.number), 10)
		b = append(b, '-')
		b = strconv.AppendInt(b, int64(k), 10)
		m.Properties = append(b, "\x02TAGS\x01TagA\x02"...)
	}
}

func (p *producer) run(ctx context.Context) error {
	if p.begin == nil {
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
		if err := p.target.Put(ctx, m); err != nil {
			return err
		}
		p.latency.Add(time.Since(p.start) - began)
	}
	return nil
}

// pipelined has up to a window of puts unanswered, and takes answers in order.
func (p *producer) pipelined(ctx context.Context) error {
	window := p.load.Window
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
		if p.pending[slot], err = p.begin.Begin(&p.messages[slot]); err != nil {
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
	p.latency.Add(time.Since(p.start) - p.began[slot])
	return nil
}
