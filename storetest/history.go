package storetest

import (
	"context"
	"errors"
	"hash/fnv"
	"sync"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/flusher"
)

// outcome is what a caller knows of its put.
type outcome uint8

const (
	open    outcome = iota // not answered yet
	acked                  // PUT_OK
	refused                // surely not stored
	unknown                // nobody can say
)

// History is what was put and what was answered. The zero value is of no use;
// every Store has one.
type History struct {
	mu     sync.Mutex
	puts   []*put
	now    int64           // counts beginnings and answers
	life   int             // counts crashes
	reset  map[string]bool // topics that were deleted, and begin again at 0
	off    bool            // nobody notes what is put
	broken []Violation
}

// put is one message, alone or of a batch.
type put struct {
	queue        queueKey
	body         uint64 // its hash
	key          string
	outcome      outcome
	life         int
	begun, ended int64
	offset       int64 // in the queue, once acknowledged
	from, end    int64 // in the log, of the whole batch
	perhaps      bool  // a power cut may have taken it
	deleted      bool  // with its topic, or it may be
}

type queueKey struct {
	topic string
	id    int32
}

func newHistory() *History { return &History{reset: make(map[string]bool)} }

func hash(b []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(b)
	return h.Sum64()
}

// begin notes that a message is about to be put.
func (h *History) begin(m *actorstore.Message) *put {
	p := &put{queue: queueKey{m.Topic, m.QueueID}, body: hash(m.Body)}
	if keys := m.Keys(); len(keys) > 0 {
		p.key = keys[0]
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now++
	p.begun, p.life = h.now, h.life
	h.puts = append(h.puts, p)
	return p
}

// end notes the answer.
func (h *History) end(p *put, nth int, r actorstore.PutResult, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.now++
	p.ended = h.now
	p.outcome = outcomeOf(err)
	if p.life != h.life && p.outcome == acked {
		p.outcome = unknown // it crossed the crash
	}
	if p.outcome != refused {
		p.offset, p.from, p.end = r.QueueOffset+int64(nth), r.PhysicalOffset, r.End()
	}
}

func outcomeOf(err error) outcome {
	var pe *actorstore.PutError
	switch {
	case err == nil:
		return acked
	case errors.Is(err, actorstore.ErrOutcomeUnknown):
		return unknown
	case errors.As(err, &pe) && (pe.Status == flusher.FlushDiskTimeout || pe.Status == flusher.FlushSlaveTimeout):
		return unknown
	case errors.As(err, &pe), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return refused
	}
	return unknown
}

// Note adds a put of one message that somebody else has made, such as the service
// under test, with its answer.
func (h *History) Note(m *actorstore.Message, r actorstore.PutResult, err error) {
	h.NoteBatch([]actorstore.Message{*m}, r, err)
}

// NoteBatch is Note for a batch: messages that were put together, with the answer
// to all of them.
func (h *History) NoteBatch(batch []actorstore.Message, r actorstore.PutResult, err error) {
	for i := range batch {
		p := h.begin(&batch[i])
		p.begun = 0 // nobody knows when
		h.end(p, i, r, err)
	}
}

// Off says that nobody notes what is put: Check then holds a store against itself
// only, and does not miss a history.
func (h *History) Off() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.off = true
}

// Acknowledged counts the puts that were answered PUT_OK.
func (h *History) Acknowledged() int { return h.count(acked) }

// Refused counts the puts of which nothing was stored.
func (h *History) Refused() int { return h.count(refused) }

// Unknown counts the puts that were answered without anybody's knowing whether
// they are stored.
func (h *History) Unknown() int { return h.count(unknown) }

// Unanswered counts the puts that still wait.
func (h *History) Unanswered() int { return h.count(open) }

func (h *History) count(o outcome) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, p := range h.puts {
		if p.outcome == o {
			n++
		}
	}
	return n
}

// cut notes a crash that promises what ends at or below an offset of the log.
func (h *History) cut(promised int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.life++
	for _, p := range h.puts {
		p.perhaps = p.perhaps || p.outcome == acked && p.end > promised
	}
}

// delete notes that a topic was deleted, or may have been.
func (h *History) delete(topic string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.reset[topic] = true
	for _, p := range h.puts {
		p.deleted = p.deleted || p.queue.topic == topic
	}
}

func (h *History) breaks(v Violation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = append(h.broken, v)
}
