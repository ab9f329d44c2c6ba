package e2e

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/actorstore/actorstore/tests/golden"
)

// most is how many matches a key query gives.
const most = 64

// Model is a store as it must be read: what stood in it before, and what was
// put since.
type Model struct {
	Min, Max int64
	queues   map[queueKey]*golden.Queue
	queries  map[queryKey][]int64
}

type queueKey struct {
	topic string
	queue int32
}

type queryKey struct{ topic, key string }

// NewModel makes the model of a store that holds what before says; nil is an
// empty store.
func NewModel(before *golden.Reading) *Model {
	m := &Model{queues: map[queueKey]*golden.Queue{}, queries: map[queryKey][]int64{}}
	if before == nil {
		return m
	}
	m.Min, m.Max = before.Min, before.Max
	for _, q := range before.Queues {
		q.Messages = slices.Clone(q.Messages)
		m.queues[queueKey{q.Topic, q.Queue}] = &q
	}
	for _, q := range before.Queries {
		m.queries[queryKey{q.Topic, q.Key}] = slices.Clone(q.Offsets)
	}
	return m
}

// Add adds what was put, in the order of the log.
func (m *Model) Add(puts []Put) {
	for _, p := range puts {
		m.Max = max(m.Max, p.Phy+int64(p.Size))
		for _, key := range p.Keys {
			k := queryKey{p.Topic, key}
			if n := len(m.queries[k]); n == 0 || m.queries[k][n-1] != p.Phy {
				m.queries[k] = append(m.queries[k], p.Phy)
			}
		}
		if !p.Queued {
			continue
		}
		m.add(queueKey{p.Topic, p.Queue}, p.Offset, p.Message)
		for _, l := range p.Lights {
			m.add(queueKey{l.Topic, 0}, l.Offset, p.Message)
		}
	}
}

// add puts a message where it must stand: a gap or an overlap shows in the
// queue's line.
func (m *Model) add(k queueKey, offset int64, g golden.Message) {
	q := m.queues[k]
	if q == nil {
		q = &golden.Queue{Topic: k.topic, Queue: k.queue, MinOffset: offset}
		m.queues[k] = q
	}
	q.Messages = append(q.Messages, g)
	q.MaxOffset = offset + g.Span()
}

// Delete removes a topic's queues.
func (m *Model) Delete(topic string) {
	for k := range m.queues {
		if k.topic == topic {
			delete(m.queues, k)
		}
	}
}

// Reading is what must be read, with the answers to all key queries and to
// some times of each queue: before and behind its messages, at the first, the
// middle and the last one.
func (m *Model) Reading() *golden.Reading {
	r := &golden.Reading{Min: m.Min, Max: m.Max}
	for _, q := range m.queues {
		r.Queues = append(r.Queues, *q)
	}
	slices.SortFunc(r.Queues, func(a, b golden.Queue) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Queue, b.Queue))
	})
	for k, offsets := range m.queries {
		offsets = offsets[max(0, len(offsets)-most):]
		r.Queries = append(r.Queries, golden.Query{Topic: k.topic, Key: k.key, Offsets: offsets})
	}
	slices.SortFunc(r.Queries, func(a, b golden.Query) int {
		return cmp.Or(cmp.Compare(a.Topic, b.Topic), cmp.Compare(a.Key, b.Key))
	})
	for i := range r.Queues {
		r.Times = append(r.Times, times(&r.Queues[i])...)
	}
	return r
}

// times are questions by time about a queue, with their answers.
func times(q *golden.Queue) []golden.Time {
	if len(q.Messages) == 0 {
		return nil
	}
	first, last := q.Messages[0].Stored, q.Messages[len(q.Messages)-1].Stored
	middle := q.Messages[len(q.Messages)/2].Stored
	var answers []golden.Time
	for _, t := range []int64{first - 1, first, middle, middle + 1, last, last + 1} {
		a := golden.Time{Topic: q.Topic, Queue: q.Queue, Time: t, Lower: q.MaxOffset, Upper: q.MinOffset}
		offset := q.MinOffset
		for _, g := range q.Messages {
			if g.Stored >= t {
				a.Lower = min(a.Lower, offset)
			}
			if g.Stored <= t {
				a.Upper = offset
			}
			offset += g.Span()
		}
		answers = append(answers, a)
	}
	return answers
}

var propCRC = regexp.MustCompile(`__CRC32#=[0-9]{10};`)

// WithoutCRC is a reading whose messages lack the checksum property, to compare
// with a model. It counts the messages that had it.
func WithoutCRC(r *golden.Reading) (plain *golden.Reading, had int) {
	c := *r
	c.Queues = slices.Clone(r.Queues)
	for i := range c.Queues {
		q := &c.Queues[i]
		q.Messages = slices.Clone(q.Messages)
		for j := range q.Messages {
			p := &q.Messages[j].Props
			if propCRC.MatchString(*p) {
				had++
				*p = propCRC.ReplaceAllString(*p, "")
			}
		}
	}
	return &c, had
}
