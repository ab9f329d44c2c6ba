package actors

import (
	"errors"
	"fmt"
	"sync"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// appendActor serialises the writes to the commit log: it numbers, encodes and
// publishes a batch of puts at a time, and answers them itself under ASYNC_FLUSH.
type appendActor struct {
	t        *tree
	out      *commitlog.Appender
	mailbox  *batchMailbox[*putRequest]
	appended []*putRequest // of this batch, in the log but not published
	released int64         // bytes to give back to the admission
	inner    innerBatches
}

// chain carries puts that wait for the disk to the flusher.
type chain struct {
	flusher.Chain
	t *tree
}

// chains recycles chains: the flusher gives each back once it has taken over the
// puts.
var chains sync.Pool

func newChain(t *tree) *chain {
	c, ok := chains.Get().(*chain)
	if !ok {
		c = new(chain)
	}
	c.t = t
	return c
}

// batchable lets the flusher's mailbox hand over chains together.
func (*chain) batchable() {}

// Receive is the actor.
func (a *appendActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *batch[*putRequest]:
		a.put(m.items)
	case *actor.Started:
		a.out = a.t.rooms.log.Appender(a.t.rooms.alloc, a.t.rooms.offsets)
		if log := a.t.log(); a.t.o.FlushDiskType == AsyncFlush && log.Confirm() < log.Appended() {
			log.SetConfirm(log.Appended()) // my predecessor died in between
			a.t.dispatchWake.ring()
		}
	case *barrier:
		if m.forget != "" {
			a.out.Offsets().Delete(m.forget)
		}
		m.reply(a.t.rooms.log.Appended(), nil)
	case *actor.Stopped:
		a.t.quietly(func() { a.mailbox.Close(a.t.refuse) })
	}
}

// put takes a batch through the log. Whatever happens every put of it is
// answered: what was not published when it panicked has an unknown outcome.
func (a *appendActor) put(items []*putRequest) {
	defer a.settleRest(&items)
	if err := a.t.writable(); err != nil {
		return
	}
	var write error
	fault := mapped.Guard(func() { write = a.write(&items) })
	if fault != nil {
		a.t.rooms.log.Fail(fault)
		write = fault
	}
	if write != nil {
		a.t.failed(write)
		return
	}
	a.publish()
}

// write appends the puts one after another and publishes them together.
func (a *appendActor) write(items *[]*putRequest) error {
	now := a.t.o.Now().UnixMilli()
	for len(*items) > 0 {
		r := (*items)[0]
		*items = (*items)[1:]
		size := r.Weight
		if !r.Take() { // withdrawn, and no longer ours
			a.released += size
			continue
		}
		if t := a.t.deleting; t.any() && t.has(topicOf(r)) {
			a.answer(r, flusher.ServiceNotAvailable, beingDeleted(topicOf(r)))
			continue
		}
		if r.message.SysFlag&record.SysInnerBatch != 0 {
			next := *a.out.Offsets().Next(r.message.Topic, r.message.QueueID)
			if err := a.inner.check(a.t, &r.message, next); err != nil {
				a.answer(r, flusher.MessageIllegal, err)
				continue
			}
		}
		a.appended = append(a.appended, r)
		if err := a.one(r, now); err != nil {
			return err
		}
	}
	return a.out.Publish()
}

// one appends a single put or batch. A put for which no segment can be made is
// answered here; any other error is a failed write and ends the log.
func (a *appendActor) one(r *putRequest, now int64) error {
	var at commitlog.Appended
	var err error
	count := 1
	if r.batch != nil {
		count = len(r.batch)
		at, err = a.out.AppendBatch(r.batch, now)
	} else {
		at, err = a.out.Append(&r.message, now)
	}
	if errors.Is(err, commitlog.ErrNoSegment) {
		a.appended = a.appended[:len(a.appended)-1]
		a.t.noSegment(err)
		a.answer(r, flusher.CreateMappedFileFailed, err)
		return nil
	}
	if errors.Is(err, record.ErrIllegal) {
		a.appended = a.appended[:len(a.appended)-1]
		a.answer(r, flusher.MessageIllegal, err)
		return nil
	}
	if err != nil {
		return err
	}
	r.Result = flusher.PutResult{
		Status: flusher.PutOK, Durability: flusher.Written, Count: int32(count), Size: int32(at.Size),
		PhysicalOffset: at.PhysicalOffset, QueueOffset: at.QueueOffset, StoreTimestamp: at.StoreTimestamp,
		StoreHost: r.message.StoreHost,
	}
	if !r.Result.StoreHost.IsValid() {
		r.Result.StoreHost = a.t.o.BrokerAddr
	}
	return nil
}

// publish answers the batch under ASYNC_FLUSH, or passes it on to the flusher.
func (a *appendActor) publish() {
	t := a.t
	if t.o.FlushDiskType == SyncFlush {
		c := newChain(t)
		for i, r := range a.appended {
			a.appended[i] = nil
			if waitsForFlush(&r.message) {
				r.Copied()
				c.Push(&r.Waiter)
				continue
			}
			a.released += r.Weight
			r.Settle()
		}
		a.appended = a.appended[:0]
		t.system.Root.Send(t.flusher.Load(), c) // an empty one asks for a flush, too
	} else {
		t.rooms.log.SetConfirm(t.rooms.log.Appended())
		t.dispatchWake.ring()
		for i, r := range a.appended {
			a.released += r.Weight
			a.appended[i] = nil
			r.Settle()
		}
		a.appended = a.appended[:0]
	}
	if t.rooms.alloc.Wanted() {
		t.allocatorWake.ring()
	}
	a.giveBack()
}

// waitsForFlush is false for a message that says WAIT=false.
func waitsForFlush(m *record.Message) bool {
	return len(m.Properties) == 0 || string(m.Properties.Bytes(record.PropertyWait)) != "false"
}

// settleRest answers what is left of a batch after a failure or a panic.
func (a *appendActor) settleRest(items *[]*putRequest) {
	defer a.giveBack() // of those that were answered one by one, too
	rest := *items
	if len(rest) == 0 && len(a.appended) == 0 {
		return
	}
	cause := a.t.writable()
	if cause == nil {
		cause = fmt.Errorf("append actor failed: %w", flusher.ErrOutcomeUnknown)
	}
	for _, r := range a.appended {
		if r != nil { // nil: settled already
			a.answer(r, flusher.FlushDiskTimeout, cause)
		}
	}
	a.appended = a.appended[:0]
	for _, r := range rest {
		size := r.Weight
		if r.Take() {
			a.answer(r, flusher.ServiceNotAvailable, cause)
		} else {
			a.released += size
		}
	}
}

func (a *appendActor) answer(r *putRequest, status flusher.PutMessageStatus, cause error) {
	a.released += r.Weight
	r.Fail(status, &PutError{status, cause})
}

func (a *appendActor) giveBack() {
	if a.released != 0 {
		a.t.admission.leave(a.released)
		a.released = 0
	}
}
