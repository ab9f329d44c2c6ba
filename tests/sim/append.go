package sim

import (
	"errors"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/consumequeue"
	"github.com/actorstore/actorstore/flusher"
)

// encode takes up to n puts into the log; nobody sees them yet.
func (l *life) encode(n int) {
	items := l.mailbox[:min(n, len(l.mailbox))]
	l.mailbox = l.mailbox[len(items):]
	if l.log.Failed() != nil {
		l.settle(items)
		return
	}
	var write error
	fault := mapped.Guard(func() { write = l.write(&items) })
	if fault != nil {
		l.w.fail("fault in a log that nobody has cut: %v", fault)
	}
	if write != nil {
		l.settle(items)
		l.failed(write)
	}
}

func (l *life) write(items *[]*put) error {
	now := l.w.now().UnixMilli()
	for len(*items) > 0 {
		p := (*items)[0]
		*items = (*items)[1:]
		if !p.Take() {
			continue
		}
		p.taken = true
		if err := l.innerBatch(p); err != nil {
			l.w.fail("put of a good message: %v", err)
		}
		l.encoded = append(l.encoded, p)
		if err := l.one(p, now); err != nil {
			return err
		}
	}
	return nil
}

// one appends a put. One for which no segment can be made is answered here.
func (l *life) one(p *put, now int64) error {
	var at commitlog.Appended
	var err error
	count := 1
	if p.batch != nil {
		count = len(p.batch)
		at, err = l.out.AppendBatch(p.batch, now)
	} else {
		at, err = l.out.Append(&p.message, now)
	}
	if errors.Is(err, commitlog.ErrNoSegment) {
		if !injected(err) {
			l.w.fail("no segment on a healthy disk: %v", err)
		}
		l.encoded = l.encoded[:len(l.encoded)-1]
		p.Fail(flusher.CreateMappedFileFailed, err)
		return nil
	}
	if errors.Is(err, record.ErrIllegal) {
		l.w.fail("put of a good message: %v", err)
	}
	if err != nil {
		return err
	}
	size := l.log.SegmentSize()
	l.w.written[at.PhysicalOffset/size*size] = l.w.mono
	p.Result = flusher.PutResult{
		Status: flusher.PutOK, Durability: flusher.Written, Count: int32(count), Size: int32(at.Size),
		PhysicalOffset: at.PhysicalOffset, QueueOffset: at.QueueOffset, StoreTimestamp: at.StoreTimestamp,
		StoreHost: l.w.setup.o.BrokerAddr,
	}
	return nil
}

// innerBatch refuses an inner batch for a queue of single messages.
func (l *life) innerBatch(p *put) error {
	m := &p.message
	if p.batch != nil || m.SysFlag&record.SysInnerBatch == 0 {
		return nil
	}
	name := queueName{m.Topic, m.QueueID}
	next := *l.out.Offsets().Next(m.Topic, m.QueueID)
	switch q := l.queues.Queue(m.Topic, m.QueueID); {
	case q != nil && q.Kind() == consumequeue.Batch, l.inner[name]:
		return nil
	case q == nil && next == 0:
		l.inner[name] = true
		return nil
	}
	return errors.New("an inner batch for a queue of single messages")
}

// publish shows what was encoded.
func (l *life) publish() {
	var err error
	fault := mapped.Guard(func() { err = l.out.Publish() })
	if fault != nil {
		l.w.fail("fault in a log that nobody has cut: %v", fault)
	}
	if err != nil {
		l.settle(nil)
		l.failed(err)
		return
	}
	for _, p := range l.encoded {
		l.w.shadow.add(l.w, p)
	}
	l.published = append(l.published, l.encoded...)
	l.encoded = l.encoded[:0]
}

// handOver answers what was published under ASYNC_FLUSH, or passes it on to the
// flusher.
func (l *life) handOver() {
	defer func() { l.published = l.published[:0] }()
	if !l.sync {
		l.log.SetConfirm(l.log.Appended())
		l.wake = true
		for _, p := range l.published {
			p.taken = false
			p.Settle()
		}
		return
	}
	if l.w.plant == ConfirmEarly {
		l.log.SetConfirm(l.log.Appended())
	}
	var c flusher.Chain
	for _, p := range l.published {
		p.taken = false
		if p.batch == nil && !waits(&p.message) {
			p.Settle()
			continue
		}
		p.Copied()
		c.Push(&p.Waiter)
	}
	l.chains = append(l.chains, c)
}

// settle answers what was encoded and what is left of a batch after a failure.
func (l *life) settle(rest []*put) {
	cause := l.log.Failed()
	if cause == nil {
		cause = flusher.ErrOutcomeUnknown
	}
	for _, p := range l.encoded {
		p.taken = false
		p.Result.Durability = flusher.NotStored
		p.Fail(flusher.FlushDiskTimeout, cause)
	}
	l.encoded = l.encoded[:0]
	for _, p := range rest {
		if p.Take() {
			p.Fail(flusher.ServiceNotAvailable, cause)
		}
	}
}
