package actors

import (
	"context"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

// serve answers a message of another actor, or passes it to who can.
func (a *storeActor) serve(ctx actor.Context, message any) {
	s, system, to := a.s, ctx.ActorSystem(), ctx.Sender()
	reply := func(answer any) {
		if to != nil {
			send(system, to, answer)
		}
	}
	switch m := asked(message).(type) {
	case *Put:
		a.put(&m.Message, nil, func(r flusher.PutResult) { reply(&PutReply{r}) })
	case *PutBatch:
		a.put(nil, m.Messages, func(r flusher.PutResult) { reply(&PutReply{r}) })
	case *Get, *Query, *Lookup, *LookupID, *OffsetByTime, *MessageTime, *Offsets, *Topics:
		if a.t == nil {
			reply(unserved(m, ErrNotReady))
			return
		}
		ctx.Forward(a.t.nextReader())
	case *DeleteTopic: // waits for dispatch, so not on this goroutine
		go func() { reply(&DoneReply{s.DeleteTopic(context.Background(), m.Topic)}) }()
	case *Flush:
		go func() { reply(&DoneReply{s.Flush(context.Background())}) }()
	case *GetState:
		state, err := s.State()
		if err != nil {
			reply(unserved(m, err))
			return
		}
		reply(&StateReply{state})
	}
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
	r.OnSettled = func(w *flusher.Waiter) {
		result := w.Result
		r.free()
		reply(result)
	}
	if p, err := s.post(t, r, size); err != nil {
		reply(p.refused)
	}
}

// readerActor serves the look-ups that came as messages, on its own goroutine.
type readerActor struct {
	t       *tree
	mailbox *batchMailbox[oneByOne]
}

// Receive is the actor. Whoever asks is answered even if the look-up panics.
func (a *readerActor) Receive(ctx actor.Context) {
	message := asked(ctx.Message())
	if _, ok := message.(*actor.Stopped); ok {
		a.t.quietly(func() { a.mailbox.Close(func(m any) { refuseAsked(a.t.system, m) }) })
		return
	}
	answer, to := unserved(message, ErrRestarting), ctx.Sender()
	if answer == nil || to == nil {
		return
	}
	defer func() { send(a.t.system, to, answer) }()
	a.t.step(nameOf(ctx.Self()), StepAsk, false)
	answer = a.answer(message)
}

func (a *readerActor) answer(message any) any {
	r, c := a.t.rooms.reader, context.Background()
	switch m := message.(type) {
	case *Get:
		result := &reader.GetResult{}
		err := r.Get(c, m.GetRequest, result)
		return &GetReply{result, err}
	case *Query:
		result, err := r.Query(c, m.QueryRequest)
		return &QueryReply{result, err}
	case *Lookup:
		found, err := r.Lookup(c, m.PhysicalOffset)
		return &LookupReply{found, err}
	case *LookupID:
		found, err := r.LookupID(c, m.ID)
		return &LookupReply{found, err}
	case *OffsetByTime:
		offset, err := r.OffsetByTime(m.Topic, m.QueueID, m.Timestamp, m.Boundary)
		return &NumberReply{offset, err}
	case *MessageTime:
		t, err := r.MessageTime(m.Topic, m.QueueID, m.Offset)
		return &NumberReply{t, err}
	case *Offsets:
		return offsetsOf(r, m)
	case *Topics:
		return &TopicsReply{Topics: r.Topics()}
	}
	return unserved(message, ErrClosed)
}

func offsetsOf(r *reader.Reader, m *Offsets) *OffsetsReply {
	least, err := r.MinOffset(m.Topic, m.QueueID)
	if err != nil {
		return &OffsetsReply{Err: err}
	}
	most, err := r.MaxOffset(m.Topic, m.QueueID)
	return &OffsetsReply{least, most, err}
}

// nextReader takes the readers in turn.
func (t *tree) nextReader() *actor.PID {
	t.turn++
	return t.readers[t.turn%len(t.readers)]
}
