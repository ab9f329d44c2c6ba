package actors

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/reader"
)

// readerRef is a reader and what it owes at the moment.
type readerRef struct {
	pid     *actor.PID // nil after its end
	mailbox *batchMailbox[oneByOne]
	owed    atomic.Pointer[owedAnswer]
}

// ask hands a look-up to a reader by its mailbox, which answers for one that has
// just ended. Sent to its PID it would get protoactor's answer for dead letters.
func (r *readerRef) ask(message any) { r.mailbox.PostUserMessage(message) }

// owedAnswer is the answer of a look-up if nobody gives a better one. Whoever
// takes it out of its place sends it.
type owedAnswer struct {
	to     *actor.PID
	answer any
}

// readerActor serves the look-ups that came as messages, on its own goroutine.
type readerActor struct {
	t       *tree
	name    string
	ref     *readerRef
	mailbox *batchMailbox[oneByOne]
}

// Receive is the actor. Whoever asks is answered even if the look-up panics.
func (a *readerActor) Receive(ctx actor.Context) {
	message := asked(ctx.Message())
	if _, ok := message.(*actor.Stopped); ok {
		a.t.quietly(func() { a.mailbox.Close(a.refuse) })
		return
	}
	answer, to := unserved(message, ErrRestarting), ctx.Sender()
	if answer == nil || to == nil {
		return
	}
	a.ref.owed.Store(&owedAnswer{to, answer})
	defer func() {
		if a.ref.owed.Swap(nil) != nil { // or it was answered while this one hung
			a.t.replies.send(a.t.system, to, answer)
		}
	}()
	a.t.step(a.name, StepAsk, false)
	if !a.t.replies.room(to) {
		answer = unserved(message, ErrBusy)
		return
	}
	answer = a.answer(message)
}

func (a *readerActor) refuse(message any) {
	cause := a.t.leaving()
	if cause == nil {
		cause = ErrRestarting
	}
	a.t.replies.refuse(a.t.system, message, cause)
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

// nextReader takes the readers in turn, those that are there; nil if none is.
func (t *tree) nextReader() *readerRef {
	for range t.readers {
		t.turn++
		if r := t.readers[t.turn%len(t.readers)]; r.pid != nil {
			return r
		}
	}
	return nil
}

// readerAt is the place of a reader, -1 if it is none.
func (t *tree) readerAt(pid *actor.PID) int {
	return slices.IndexFunc(t.readers, func(r *readerRef) bool { return r.pid != nil && r.pid.Equal(pid) })
}
