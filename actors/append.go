package actors

import (
	"errors"

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
	appended []*putRequest // encoded, but not published yet
	released int64         // bytes to give back to the admission
	inner    innerBatches
}

// Receive is the actor.
func (a *appendActor) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case *batch[*putRequest]:
		a.put(m.items)
	case *wakeUp: // the flusher has time for what has gathered
		a.t.appendWake.clear()
		a.put(nil)
	case *actor.Started:
		a.t.appendWake.clear() // one may have died with my predecessor
		a.out = a.t.rooms.log.Appender(a.t.rooms.alloc, a.t.rooms.offsets)
		if log := a.t.log(); a.t.o.FlushDiskType == AsyncFlush && log.Confirm() < log.Appended() {
			log.SetConfirm(log.Appended()) // my predecessor died in between
			a.t.dispatchWake.ring()
		}
	case *barrier:
		a.barrier(m)
	case *actor.Stopping, *actor.Restarting: // who restarts it is no part of the store
		a.t.quietly(a.publishAll)
	case *actor.Stopped:
		a.t.quietly(func() { a.mailbox.Close(a.t.refuse) })
	}
}

// barrier answers even if what has gathered cannot be written.
func (a *appendActor) barrier(m *barrier) {
	end, cause := int64(0), ErrRestarting
	defer func() { m.reply(end, cause) }()
	a.publishAll()
	if m.forget != "" {
		a.out.Offsets().Delete(m.forget)
	}
	end, cause = a.t.rooms.log.Appended(), nil
}

// put takes a batch into the log and publishes it, or leaves that for later.
// Whatever happens every put of it is answered: what was not published when it
// panicked has an unknown outcome.
func (a *appendActor) put(items []*putRequest) {
	well := false
	defer a.giveBack() // of those that were answered one by one, too
	defer func() {
		if !well {
			a.settle(items)
		}
	}()
	if a.t.writable() != nil {
		return
	}
	var write error
	fault := mapped.Guard(func() {
		if write = a.write(&items); write == nil && !a.gather() {
			write = a.out.Publish()
		}
	})
	if fault != nil {
		a.t.rooms.log.Fail(fault)
		write = fault
	}
	if write != nil {
		a.t.failed(write)
		return
	}
	if a.out.Pending() == 0 {
		a.publish()
	}
	well = true
}

// write encodes the puts one after another.
func (a *appendActor) write(items *[]*putRequest) error {
	now := a.t.o.Now().UnixMilli()
	for len(*items) > 0 {
		a.t.step(appendName, StepPut, false)
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
		a.t.step(appendName, StepPut, true)
	}
	return nil
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
		err = a.t.noSegment(err)
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
	if r.durable = a.t.o.FlushDiskType == SyncFlush && waitsForFlush(&r.message); r.durable {
		r.Copied() // from here on its caller may leave, and with what the message points to
	}
	return nil
}
