package oracle

import (
	"errors"
	"fmt"
	"strconv"
	"sync"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// Serial is the property that holds a message's serial number.
const Serial = "n"

// SerialOf reads a message's serial number.
func SerialOf(p record.Properties) (int64, bool) {
	v, ok := p.Get(Serial)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseInt(v, 10, 64)
	return n, err == nil
}

// Sent is one message and what became of its put.
type Sent struct {
	Serial  int64
	Message record.Message
	At      int // event number of the sending
	Settled int // event number of the answer, 0 = none yet
	Err     error
	Result  flusher.PutResult // of the put; for a batch see Index
	Index   int               // place in its batch
}

// Acked tells whether the put was answered PUT_OK: the message must be there.
func (s *Sent) Acked() bool { return s.acked(s.Settled) }

// acked tells whether the put was answered PUT_OK by an event.
func (s *Sent) acked(event int) bool {
	return s.Settled > 0 && s.Settled <= event && s.Result.Status == flusher.PutOK
}

// Refused tells whether the answer said that nothing was written: the message
// must never be seen.
func (s *Sent) Refused() bool {
	return s.Settled > 0 && s.Result.Status != flusher.PutOK && s.Result.Status != flusher.FlushDiskTimeout &&
		s.Result.Status != flusher.UnknownError && !errors.Is(s.Err, flusher.ErrOutcomeUnknown)
}

// deletion is the removal of a topic.
type deletion struct {
	topic       string
	start, done int  // event numbers; done 0 = not confirmed
	continues   bool // it has failed: queues may go on where they stood
}

// Model is what is known about one store. All methods may be called from any
// goroutine.
type Model struct {
	mu        sync.RWMutex
	events    int
	sent      map[int64]*Sent
	order     []*Sent
	deletions []*deletion
	base      []Record // what was found at the last opening, in log order
	min       int64    // first physical offset then
	synced    int64    // end of what a completed flush is known to cover
}

// New makes the model of an empty store.
func New() *Model { return &Model{sent: make(map[int64]*Sent)} }

// Sent notes messages before they are put, several for a batch.
func (m *Model) Sent(messages ...record.Message) ([]*Sent, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events++
	out := make([]*Sent, len(messages))
	for i := range messages {
		n, ok := SerialOf(messages[i].Properties)
		if !ok || m.sent[n] != nil {
			return nil, fmt.Errorf("oracle: serial number %d is missing or not new", n)
		}
		out[i] = &Sent{Serial: n, Message: messages[i], At: m.events, Index: i}
		m.sent[n] = out[i]
		m.order = append(m.order, out[i])
	}
	return out, nil
}

// Settled notes the answer to a put; err is what the call returned.
func (m *Model) Settled(put []*Sent, result flusher.PutResult, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events++
	for _, s := range put {
		s.Settled, s.Result, s.Err = m.events, result, err
	}
}

// Synced notes that a flush has ended which covers the log up to end.
func (m *Model) Synced(end int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.synced = max(m.synced, end)
}

// AckedEnd is the physical end of the acknowledged puts, which a flush that
// begins now will cover.
func (m *Model) AckedEnd() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	end := int64(0)
	for _, s := range m.order {
		if s.acked(m.events) {
			end = max(end, s.Result.End())
		}
	}
	return end
}

// Deleting notes that the deletion of a topic begins; call the function when it
// is confirmed. One that fails may come true at the next opening, or not.
func (m *Model) Deleting(topic string) (done func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.events++
	d := &deletion{topic: topic, start: m.events, continues: true}
	m.deletions = append(m.deletions, d)
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.events++
		d.done, d.continues = m.events, false
	}
}

// Counts are how many messages were sent and how many of them acknowledged since
// the fork.
func (m *Model) Counts() (sent, acked int) { return m.CountsAt(m.Now()) }

// CountsAt are those at a snapshot.
func (m *Model) CountsAt(at Snapshot) (sent, acked int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, s := range m.order {
		if s.At <= at.before {
			sent++
		}
		if s.acked(at.before) {
			acked++
		}
	}
	return sent, acked
}
