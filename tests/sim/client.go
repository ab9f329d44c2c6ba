package sim

import (
	"context"
	"errors"
	"time"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/tests/crash/workload"
)

// serials is how many serial numbers one operation may take.
const serials = 64

// client lets producers put, set the clock or delete a topic, as the plan of the
// seed wants it.
func (w *world) client() {
	for i := range 1 + w.rng.IntN(3) {
		ops := w.setup.plan.Ops(w.rng.Uint64(), int64((w.step+1)*8+i)*serials)
		for range 8 {
			op := ops.Next()
			switch op.Kind {
			case workload.Put, workload.PutBatch:
				w.put(op)
			case workload.SetClock:
				w.setClock(op.Pause)
			case workload.Delete:
				w.delete(op.Topic)
			default:
				continue
			}
			break
		}
	}
}

func (w *world) put(op workload.Op) {
	l := w.l
	m := op.Messages[0]
	if w.blocked[m.Topic] || l.deleting != nil && l.deleting.topic == m.Topic {
		return
	}
	p := &put{message: m}
	check := l.limits.Check(&m)
	if op.Kind == workload.PutBatch {
		p.batch = op.Messages
		check = l.limits.CheckBatch(op.Messages)
	}
	if check != nil {
		w.fail("put of a good message: %v", check)
	}
	sent, err := w.model.Sent(op.Messages...)
	if err != nil {
		w.fail("%v", err)
	}
	for i := range op.Messages {
		w.sent[sent[i].Serial] = &op.Messages[i]
	}
	w.done.Puts++
	p.sent = sent
	if l.log.Failed() != nil || l.pairDown || l.refusing {
		w.model.Settled(sent, flusher.PutResult{Status: flusher.ServiceNotAvailable}, errors.New("refused"))
		return
	}
	p.Reset()
	if w.rng.IntN(2) == 0 {
		p.OnSettled = func(*flusher.Waiter) { p.answered++ }
	}
	p.Recycle = func(*flusher.Waiter) { p.recycled++ }
	l.mailbox = append(l.mailbox, p)
	l.flight = append(l.flight, p)
	w.trace.note("put %d", sent[0].Serial)
}

// leave lets a client give up.
func (w *world) leave() {
	p := w.l.flight[w.rng.IntN(len(w.l.flight))]
	if p.OnSettled != nil || p.Done() || p.taken || p.left {
		return // it does not wait, or would wait for its body
	}
	ctx, cancel := context.WithCancel(background)
	cancel()
	mine, err := p.Wait(ctx)
	w.trace.note("client of %d leaves: %v", p.sent[0].Serial, err)
	if mine || err == nil {
		w.fail("a client that left has got an answer: %v", err)
	}
	p.left = true
	if !errors.Is(err, flusher.ErrOutcomeUnknown) { // withdrawn: nothing was written
		w.model.Settled(p.sent, flusher.PutResult{Status: flusher.ServiceNotAvailable, Err: err}, err)
	}
}

// answers takes what was answered.
func (w *world) answers() {
	l := w.l
	kept := l.flight[:0]
	for _, p := range l.flight {
		if p.answered > 1 || p.recycled > 1 || p.recycled > 0 && !p.left {
			w.fail("message %d: %d answers, recycled %d times", p.sent[0].Serial, p.answered, p.recycled)
		}
		switch {
		case p.left && p.recycled > 0:
		case p.left || !p.Done():
			kept = append(kept, p)
		default:
			w.answer(p)
		}
	}
	clear(l.flight[len(kept):])
	l.flight = kept
}

func (w *world) answer(p *put) {
	r := p.Result
	l := w.l
	if r.Status == flusher.PutOK {
		w.done.Acked += len(p.sent)
		switch {
		case r.Err != nil:
			w.fail("message %d: PUT_OK with %v", p.sent[0].Serial, r.Err)
		case r.End() > l.log.Appended():
			w.fail("message %d: PUT_OK at %d, appended is %d", p.sent[0].Serial, r.End(), l.log.Appended())
		case r.Durability >= flusher.Flushed && r.End() > l.log.Flushed():
			w.fail("message %d: PUT_OK %v at %d, flushed is %d", p.sent[0].Serial, r.Durability, r.End(), l.log.Flushed())
		case l.sync && r.Durability < flusher.Flushed && waits(&p.message):
			w.fail("message %d: PUT_OK %v under SYNC_FLUSH", p.sent[0].Serial, r.Durability)
		case int(r.Count) != len(p.sent):
			w.fail("message %d: %d of %d messages", p.sent[0].Serial, r.Count, len(p.sent))
		}
	} else if r.Status == flusher.FlushDiskTimeout {
		w.unclear = true
	}
	w.model.Settled(p.sent, r, r.Err)
}

// waits is false for a message that says WAIT=false.
func waits(m *record.Message) bool { return string(m.Properties.Bytes(record.PropertyWait)) != "false" }

// setClock moves the wall clock, backwards too.
func (w *world) setClock(by time.Duration) {
	w.jump += by
	w.set = true
	w.trace.note("clock %v", by)
}

// pass lets time go by.
func (w *world) pass() {
	by := []time.Duration{time.Millisecond, 50 * time.Millisecond, time.Second, 61 * time.Second, time.Hour}[w.rng.IntN(5)]
	w.mono += by
	w.trace.note("%v", by)
}

// jumpClock sets the wall clock far away.
func (w *world) jumpClock() {
	w.setClock([]time.Duration{-time.Hour, -time.Second, time.Second, 24 * time.Hour, -24 * time.Hour, 365 * 24 * time.Hour}[w.rng.IntN(6)])
}
