package actors

import (
	"cmp"
	"context"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
)

// serve answers a message of another actor, or passes it to who can. Whoever asks
// is answered even if that panics.
func (a *storeActor) serve(ctx actor.Context, message any) {
	m := asked(message)
	otherwise := unserved(m, ErrRestarting)
	if otherwise == nil {
		return // nothing that a store understands
	}
	system, to := ctx.ActorSystem(), ctx.Sender()
	if to != nil && a.s.replies.full(to) {
		a.s.replies.decline(system, to, unserved(m, ErrBusy))
		return
	}
	var answered atomic.Bool
	reply := func(answer any) {
		if to != nil && !answered.Swap(true) {
			a.s.replies.send(system, to, answer)
		}
	}
	well := false
	defer func() {
		if !well {
			reply(otherwise)
		}
	}()
	if f := a.s.o.Faults; f != nil {
		f.Step(storeName, StepAsk, false)
	}
	if isNil(m) {
		reply(unserved(m, errNil))
	} else {
		a.answer(m, to, reply)
	}
	well = true
}

func (a *storeActor) answer(message any, to *actor.PID, reply func(any)) {
	s := a.s
	switch m := message.(type) {
	case *Put:
		a.put(&m.Message, nil, func(r flusher.PutResult) { reply(&PutReply{r}) })
	case *PutBatch:
		a.put(nil, m.Messages, func(r flusher.PutResult) { reply(&PutReply{r}) })
	case *Get, *Query, *Lookup, *LookupID, *OffsetByTime, *MessageTime, *Offsets, *Topics:
		if _, err := s.running(); err != nil || a.t == nil {
			reply(unserved(m, cmp.Or(err, ErrNotReady)))
			return
		}
		r := a.t.nextReader()
		switch {
		case r == nil: // all have just ended
			reply(unserved(m, ErrRestarting))
			return
		case r.mailbox.UserMessageCount() >= mostAsks:
			reply(unserved(m, ErrBusy))
			return
		}
		r.ask(&actor.MessageEnvelope{Message: m, Sender: to})
	case *DeleteTopic:
		a.slowly(m, reply, func() error { return s.DeleteTopic(context.Background(), m.Topic) })
	case *Flush:
		a.slowly(m, reply, func() error { return s.Flush(context.Background()) })
	case *GetState:
		state, err := s.State()
		if err != nil {
			reply(unserved(m, err))
			return
		}
		reply(&StateReply{State: state})
	}
}

// slowly does beside this actor what waits for others.
func (a *storeActor) slowly(message any, reply func(any), do func() error) {
	slow := &a.s.slow
	if slow.Add(1) > mostSlow {
		slow.Add(-1)
		reply(unserved(message, ErrBusy))
		return
	}
	go func() {
		defer slow.Add(-1)
		err := errGoexit // if it does not come to its end
		defer func() { reply(&DoneReply{err}) }()
		err = guarded(do)
	}()
}

// put starts a put whose answer goes to reply.
func (a *storeActor) put(m *record.Message, batch []record.Message, reply func(flusher.PutResult)) {
	s := a.s
	t := s.tree.Load()
	if err := s.accept(t, m, batch); err != nil {
		p, _ := refusedPending(err)
		reply(p.refused)
		return
	}
	r := newRequest()
	var size int64
	if m != nil {
		r.message = *m
		size = weight(m)
	}
	for i := range batch {
		size += weight(&batch[i])
	}
	r.batch = batch
	r.aside = true // whoever supervises the append actor must not do its work
	r.OnSettled = func(w *flusher.Waiter) {
		result := w.Result
		r.free()
		reply(result)
	}
	if p, err := s.post(t, r, size); err != nil {
		reply(p.refused)
	}
}
