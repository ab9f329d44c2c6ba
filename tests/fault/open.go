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
	"github.com/actorstore/actorstore/reader"
)

// system runs the stores of all cases: a system of its own costs more than most
// cases.
var system = actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
	return slog.New(slog.NewTextHandler(io.Discard, nil))
}))

var opened atomic.Int64

// Store is a store that is open in the common system.
type Store struct {
	*actors.Store
	*reader.Reader
}

// Open opens a store in the common system.
func Open(ctx context.Context, o actorstore.Options) (*Store, error) {
	s, err := actors.Spawn(ctx, system.Root, fmt.Sprint("store-", opened.Add(1)), o)
	if err != nil {
		return nil, err
	}
	r, err := s.Reader()
	if err != nil {
		return nil, err
	}
	return &Store{s, r}, nil
}
