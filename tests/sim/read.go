package sim

import (
	"bytes"
	"fmt"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// get reads some messages of a queue and wants just those that must be there.
func (w *world) get() {
	name, ok := w.queue()
	if !ok {
		return
	}
	l := w.l
	q := l.queues.Queue(name.topic, name.id)
	var lo, hi int64
	if q != nil && q.Loaded() {
		lo, hi = q.MinOffset(), q.MaxOffset()
	}
	at := lo - 1 + w.rng.Int64N(hi-lo+3)
	var g reader.GetResult
	err := l.reader.Get(background, reader.GetRequest{Topic: name.topic, QueueID: name.id, Offset: at, MaxCount: 1 + w.rng.IntN(8)}, &g)
	w.trace.note("%s-%d from %d: %v, %d messages", name.topic, name.id, at, g.Status, len(g.Messages))
	w.done.Reads++
	if err != nil {
		if !w.disturbed(err) {
			w.fail("get %s-%d at %d: %v", name.topic, name.id, at, err)
		}
		return
	}
	want, known := w.shadow[name][at]
	if known && at >= lo && at < hi && want.offset >= l.log.Min() && g.Status != reader.Found {
		w.fail("get %s-%d at %d of [%d, %d): %v, want message %d", name.topic, name.id, at, lo, hi, g.Status, want.serial)
	}
	next := max(at, lo)
	for i := range g.Messages {
		m := &g.Messages[i]
		for ; next < m.QueueOffset && w.shadow[name][next].offset < l.log.Min(); next++ {
			// retention has taken it
		}
		w.got(name, m, next)
		next++
	}
}

// got judges one message of a queue.
func (w *world) got(name queueName, m *record.MessageExt, at int64) {
	if m.QueueOffset != at {
		w.fail("get %s-%d: offset %d, want %d", name.topic, name.id, m.QueueOffset, at)
	}
	want, known := w.shadow[name][at]
	n, _ := oracle.SerialOf(m.Properties)
	if !known || n != want.serial || m.PhysicalOffset < want.offset || m.PhysicalOffset >= want.end || !bytes.Equal(m.Body, w.sent[n].Body) {
		w.fail("get %s-%d at %d: message %d at %d, want %d at %d", name.topic, name.id, at, n, m.PhysicalOffset, want.serial, want.offset)
	}
	if confirm := w.l.log.Confirm(); m.PhysicalOffset >= confirm {
		w.fail("get %s-%d: message at %d, confirm is %d", name.topic, name.id, m.PhysicalOffset, confirm)
	}
}

// byTime looks for a queue offset by store time.
func (w *world) byTime() {
	name, ok := w.queue()
	if !ok {
		return
	}
	l := w.l
	q := l.queues.Queue(name.topic, name.id)
	if q == nil || !q.Loaded() || q.Kind() != consumequeue.Simple || q.MinOffset() == q.MaxOffset() {
		return
	}
	lo, hi := q.MinOffset(), q.MaxOffset()
	p := w.shadow[name][lo+w.rng.Int64N(hi-lo)]
	first := w.shadow[name][lo]
	if p.serial == 0 || first.serial == 0 || first.offset < l.log.Min() {
		return // retention is just taking its record
	}
	t := p.time + w.rng.Int64N(3) - 1
	lower, err := l.reader.OffsetByTime(name.topic, name.id, t, consumequeue.Lower)
	if err == nil {
		if want := w.shadow.reach(name, lo, hi, t); lower != want {
			w.fail("%s-%d: the first message not before %d is %d, want %d", name.topic, name.id, t, lower, want)
		}
		var upper int64
		if upper, err = l.reader.OffsetByTime(name.topic, name.id, t, consumequeue.Upper); err == nil {
			if want := max(w.shadow.reach(name, lo, hi, t+1)-1, lo); upper != want {
				w.fail("%s-%d: the last message not after %d is %d, want %d", name.topic, name.id, t, upper, want)
			}
		}
	}
	w.trace.note("%s-%d at %d: %d", name.topic, name.id, t, lower)
	w.done.Reads++
	if err != nil && !w.disturbed(err) {
		w.fail("%s-%d by time: %v", name.topic, name.id, err)
	}
}

// query asks for a message by its own key.
func (w *world) query() {
	name, ok := w.queue()
	if !ok || w.l.index == nil || w.blocked[name.topic] || w.l.deleting != nil {
		return
	}
	l := w.l
	q := l.queues.Queue(name.topic, name.id)
	if q == nil || !q.Loaded() || q.MinOffset() == q.MaxOffset() {
		return
	}
	p := w.shadow[name][q.MinOffset()+w.rng.Int64N(q.MaxOffset()-q.MinOffset())]
	if p.serial == 0 {
		return
	}
	key := fmt.Sprintf("k%d", p.serial)
	m := w.sent[p.serial]
	if keys := m.Keys(); len(keys) != 1 || keys[0] != key || p.offset < l.log.Min() || p.end > l.sinks[len(l.sinks)-1].Applied() {
		return
	}
	res, err := l.reader.Query(background, reader.QueryRequest{Topic: m.Topic, Key: key})
	w.trace.note("%s", key)
	w.done.Reads++
	if err != nil {
		if !w.disturbed(err) {
			w.fail("query %s of %s: %v", key, m.Topic, err)
		}
		return
	}
	if n := len(res.Messages); n != 1 || res.Messages[0].QueueID != name.id {
		w.fail("query %s of %s: %d messages, want the one at %d", key, m.Topic, len(res.Messages), p.offset)
	}
}
