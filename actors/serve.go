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
	s, root, to := a.s, ctx.ActorSystem().Root, ctx.Sender()
	reply := func(answer any) {
		if to != nil {
			root.Send(to, answer)
		}
	}
	switch m := message.(type) {
	case *Put:
		a.put(&m.Message, nil, func(r flusher.PutResult) { reply(&PutReply{r}) })
	case *PutBatch:
		a.put(nil, m.Messages, func(r flusher.PutResult) { reply(&PutReply{r}) })
	case *Get, *Query, *Lookup, *LookupID, *OffsetByTime, *MessageTime, *Offsets, *Topics:
		if a.t == nil {
			reply(notReady(m))
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
			state.ReadOnly = err
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

// notReady is the answer to a reader's message before the store is open.
func notReady(message any) any {
	switch message.(type) {
	case *Get:
		return &GetReply{Result: &reader.GetResult{}, Err: ErrNotReady}
	case *Query:
		return &QueryReply{Err: ErrNotReady}
	case *Lookup, *LookupID:
		return &LookupReply{Err: ErrNotReady}
	case *Offsets:
		return &OffsetsReply{Err: ErrNotReady}
	case *Topics:
		return &TopicsReply{}
	}
	return &NumberReply{Err: ErrNotReady}
}

// readerActor serves the look-ups that came as messages, on its own goroutine.
type readerActor struct{ t *tree }

// Receive is the actor.
func (a *readerActor) Receive(ctx actor.Context) {
	r, c := a.t.rooms.reader, context.Background()
	var answer any
	switch m := ctx.Message().(type) {
	case *Get:
		result := &reader.GetResult{}
		err := r.Get(c, m.GetRequest, result)
		answer = &GetReply{result, err}
	case *Query:
		result, err := r.Query(c, m.QueryRequest)
		answer = &QueryReply{result, err}
	case *Lookup:
		found, err := r.Lookup(c, m.PhysicalOffset)
		answer = &LookupReply{found, err}
	case *LookupID:
		found, err := r.LookupID(c, m.ID)
		answer = &LookupReply{found, err}
	case *OffsetByTime:
		offset, err := r.OffsetByTime(m.Topic, m.QueueID, m.Timestamp, m.Boundary)
		answer = &NumberReply{offset, err}
	case *MessageTime:
		t, err := r.MessageTime(m.Topic, m.QueueID, m.Offset)
		answer = &NumberReply{t, err}
	case *Offsets:
		answer = offsetsOf(r, m)
	case *Topics:
		answer = &TopicsReply{r.Topics()}
	default:
		return
	}
	if to := ctx.Sender(); to != nil {
		ctx.Send(to, answer)
	}
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
