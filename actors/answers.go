package actors

import (
	"errors"
	"reflect"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/reader"
)

// unserved is the answer to a public message that cannot be served; nil if the
// message is none.
func unserved(message any, err error) any {
	switch message.(type) {
	case *Put, *PutBatch:
		p := &PutError{flusher.ServiceNotAvailable, err}
		switch {
		case errors.Is(err, errNil):
			p.Status = flusher.MessageIllegal
		case errors.Is(err, ErrBusy):
			p.Status = flusher.OSPageCacheBusy
		}
		return &PutReply{flusher.PutResult{Status: p.Status, Err: p}}
	case *Get:
		return &GetReply{Result: &reader.GetResult{}, Err: err}
	case *Query:
		return &QueryReply{Err: err}
	case *Lookup, *LookupID:
		return &LookupReply{Err: err}
	case *OffsetByTime, *MessageTime:
		return &NumberReply{Err: err}
	case *Offsets:
		return &OffsetsReply{Err: err}
	case *Topics:
		return &TopicsReply{Err: err}
	case *DeleteTopic, *Flush:
		return &DoneReply{err}
	case *GetState:
		return &StateReply{Err: err}
	}
	return nil
}

// errNil is the answer to a pointer to nothing.
var errNil = errors.New("nil message")

func isNil(message any) bool {
	v := reflect.ValueOf(message)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// asked is a public message in its one form: it may be sent as a value, too.
func asked(message any) any {
	switch m := message.(type) {
	case Put:
		return &m
	case PutBatch:
		return &m
	case Get:
		return &m
	case Query:
		return &m
	case Lookup:
		return &m
	case LookupID:
		return &m
	case OffsetByTime:
		return &m
	case MessageTime:
		return &m
	case Offsets:
		return &m
	case Topics:
		return &m
	case DeleteTopic:
		return &m
	case Flush:
		return &m
	case GetState:
		return &m
	}
	return message
}

// refuse answers a public message that waited in the mailbox of an actor
// which has stopped; protoactor would drop it.
func (r *replies) refuse(system *actor.ActorSystem, message any, cause error) {
	e, ok := message.(*actor.MessageEnvelope)
	if !ok || e.Sender == nil {
		return
	}
	if answer := unserved(asked(e.Message), cause); answer != nil {
		r.decline(system, e.Sender, answer)
	}
}

// send sends something from a goroutine that is no actor's. Should it be for one that
// has gone, whoever watches dead letters runs here, and must not harm the process.
func send(system *actor.ActorSystem, to *actor.PID, answer any) {
	alone(func() { system.Root.Send(to, answer) })
}
