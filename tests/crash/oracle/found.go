package oracle

import (
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
)

// Record is a record as it stands in a log.
type Record struct {
	Offset, End    int64
	QueueOffset    int64
	StoreTimestamp int64
	Sum            uint64 // of all its bytes
	sent           *Sent
	units          []unit
}

// Serial is the serial number of the message.
func (r *Record) Serial() int64 { return r.sent.Serial }

// Queued tells whether the record stands in a queue.
func (r *Record) Queued() bool { return len(r.units) > 0 }

// unit is one place of a record in a queue.
type unit struct {
	topic  string
	id     int32
	offset int64
	num    int64
}

// Found is what stands in a store.
type Found struct {
	Min, End int64
	Records  []Record
	// Doubtful: the store tells of damage that a power cut may well have left.
	// Nothing that was durable is missing; no more was judged.
	Doubtful bool
	// gone tells for each topic how many deletions have taken effect.
	gone   map[string]int
	epochs func(topic string, s *Sent) int // as Model.epoch

	bySerial map[int64]*Record // made when it is first asked for
}

// Has tells whether a message is there.
func (f *Found) Has(serial int64) bool { return f.serials()[serial] != nil }

// Same tells how two findings differ, nil if they do not.
func (f *Found) Same(o *Found) error {
	if f.Min != o.Min || f.End != o.End || len(f.Records) != len(o.Records) {
		return fmt.Errorf("log [%d, %d) with %d records, then [%d, %d) with %d",
			f.Min, f.End, len(f.Records), o.Min, o.End, len(o.Records))
	}
	for i := range f.Records {
		a, b := &f.Records[i], &o.Records[i]
		if a.Offset != b.Offset || a.Sum != b.Sum || a.sent.Serial != b.sent.Serial {
			return fmt.Errorf("record %d at %d, then record %d at %d", a.sent.Serial, a.Offset, b.sent.Serial, b.Offset)
		}
	}
	for topic, n := range f.gone {
		if o.gone[topic] != n {
			return fmt.Errorf("topic %s was deleted %d times, then %d times", topic, n, o.gone[topic])
		}
	}
	return nil
}

// Fork is the model of a store that was found like this and goes on.
func (m *Model) Fork(f *Found) *Model {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n := &Model{events: m.events, sent: make(map[int64]*Sent, len(f.Records)), base: f.Records, min: f.Min, synced: f.End}
	for i := range f.Records {
		s := f.Records[i].sent
		n.sent[s.Serial] = s
	}
	left := make(map[string]int)
	for _, d := range m.deletions {
		if left[d.topic]++; left[d.topic] <= f.gone[d.topic] {
			n.deletions = append(n.deletions, &deletion{topic: d.topic, start: d.start, done: max(d.done, d.start), continues: d.continues})
		}
	}
	return n
}

// Forget is the model of a store a copy of which was found like this: what was
// not found must never come back. Unlike Fork it promises nothing of what was
// found: the store itself has not been opened.
func (m *Model) Forget(f *Found) *Model {
	m.mu.RLock()
	defer m.mu.RUnlock()
	n := &Model{events: m.events, sent: make(map[int64]*Sent, len(f.Records)), deletions: m.deletions,
		base: m.base, min: m.min, synced: m.synced}
	for i := range f.Records {
		n.sent[f.Records[i].Serial()] = f.Records[i].sent
	}
	for _, s := range m.order {
		if n.sent[s.Serial] != nil {
			n.order = append(n.order, s)
		}
	}
	return n
}

// epoch is how many deletions of a topic were begun before a message was sent.
func (m *Model) epoch(topic string, s *Sent) int {
	n := 0
	for _, d := range m.deletions {
		if d.topic == topic && d.start <= s.At {
			n++
		}
	}
	return n
}

// deleted is how many deletions of a topic were certainly done, and how many
// begun, at a snapshot. One that was done covers those before it.
func (m *Model) deleted(topic string, at Snapshot) (done, begun int) {
	for _, d := range m.deletions {
		if d.topic != topic || d.start > at.after {
			continue
		}
		begun++
		if d.done > 0 && d.done <= at.before {
			done = begun
		}
	}
	return done, begun
}

// halfGone tells that a failed deletion of a topic may have been carried out in
// part: the store is still open.
func (c *check) halfGone(topic string) bool {
	done, begun := c.m.deleted(topic, c.at)
	return c.cut == Running && done < begun
}

// continues tells whether the queues of a topic may go on behind its n-th
// deletion where they stood.
func (m *Model) continues(topic string, n int) bool {
	for _, d := range m.deletions {
		if d.topic == topic {
			if n--; n == 0 {
				return d.continues
			}
		}
	}
	return false
}

// keysOf are the different keys that a message is found under.
func keysOf(m *record.Message) []string {
	if m.SysFlag&record.SysTransactionMask == record.SysTransactionRollback {
		return nil
	}
	var keys []string
	if k := m.UniqKey(); k != "" {
		keys = append(keys, k)
	}
	return append(keys, m.Keys()...)
}
