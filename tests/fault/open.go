package fault

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/record"
	"github.com/actorstore/actorstore/reader"
)

// Store is what the tests use of an open store.
type Store interface {
	View(context.Context, actorstore.GetRequest, func(*record.MessageExt) error) (actorstore.ViewResult, error)
	Lookup(context.Context, int64) (*record.MessageExt, error)
	OffsetByTime(topic string, queueID int32, timestamp int64, boundary actorstore.Boundary) (int64, error)
	Reader
	Begin(*record.Message) (actorstore.Pending, error)
	BeginBatch([]record.Message) (actorstore.Pending, error)
	DeleteTopic(context.Context, string) error
	State() (actorstore.State, error)
	Dispatched(context.Context) error
	Flush(context.Context) error
	Close(context.Context) error
}

// system runs the stores of all cases: a system of its own costs more than most
// cases.
var system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
	return slog.New(slog.NewTextHandler(io.Discard, nil))
}))

var opened atomic.Int64

// spawned is a store in the common system.
type spawned struct {
	*actors.Store
	*reader.Reader
}

func open(ctx context.Context, o actorstore.Options) (Store, error) {
	s, err := actors.Spawn(ctx, system.Root, fmt.Sprint("store-", opened.Add(1)), o)
	if err != nil {
		return nil, err
	}
	r, err := s.Reader()
	if err != nil {
		return nil, err
	}
	return spawned{s, r}, nil
}
