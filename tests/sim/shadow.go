package sim

import (
	"errors"
	"math"
	"slices"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// place is where a message stands.
type place struct {
	serial, offset, end int64 // physical
	time                int64
}

// shadow is what each queue of single messages must show, by queue offset. It is
// the cheap half of the oracle: what a reader meets in the middle of a life.
type shadow map[queueName]map[int64]place

// add notes a put that was published.
func (s shadow) add(w *world, p *put) {
	r := p.Result
	end := r.End()
	if p.batch == nil {
		s.set(&p.message, r.QueueOffset, place{p.sent[0].Serial, r.PhysicalOffset, end, r.StoreTimestamp})
		return
	}
	at := r.PhysicalOffset
	for i := range p.batch {
		s.set(&p.batch[i], r.QueueOffset+int64(i), place{p.sent[i].Serial, at, end, r.StoreTimestamp})
	}
}

func (s shadow) set(m *record.Message, offset int64, p place) {
	if record.IsTransactionPending(m.SysFlag) || m.SysFlag&record.SysInnerBatch != 0 {
		return
	}
	name := queueName{m.Topic, m.QueueID}
	if s[name] == nil {
		s[name] = map[int64]place{}
	}
	s[name][offset] = p
}

// refill is what was found at an opening.
func (s shadow) refill(w *world, f *oracle.Found) {
	clear(s)
	for i := range f.Records {
		r := &f.Records[i]
		m := w.sent[r.Serial()]
		if r.Queued() && r.Offset >= w.l.deleted[m.Topic] {
			s.set(m, r.QueueOffset, place{r.Serial(), r.Offset, r.End, r.StoreTimestamp})
		}
	}
}

func (s shadow) forget(topic string) {
	for name := range s {
		if name.topic == topic {
			delete(s, name)
		}
	}
}

// queue chooses one, false if there is none.
func (w *world) queue() (queueName, bool) {
	names := make([]queueName, 0, len(w.shadow))
	for name := range w.shadow {
		names = append(names, name)
	}
	if len(names) == 0 {
		return queueName{}, false
	}
	slices.SortFunc(names, func(a, b queueName) int {
		if a.topic != b.topic {
			if a.topic < b.topic {
				return -1
			}
			return 1
		}
		return int(a.id - b.id)
	})
	return names[w.rng.IntN(len(names))], true
}

// reach is the first offset of [min, max) whose time, as the largest so far, is at
// least t; max if there is none.
func (s shadow) reach(name queueName, min, max, t int64) int64 {
	largest := int64(math.MinInt64)
	for at := min; at < max; at++ {
		if p, ok := s[name][at]; ok && p.time > largest {
			largest = p.time
		}
		if largest >= t {
			return at
		}
	}
	return max
}

// disturbed is an error that a failing disk explains.
func (w *world) disturbed(err error) bool {
	var ce *record.CorruptionError
	return injected(err) && !errors.As(err, &ce)
}
