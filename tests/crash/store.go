package crash

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync/atomic"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/reader"
	"github.com/actorstore/actorstore/tests/crash/oracle"
)

// root is where stores lie in a file system in memory.
const root = "/store"

// newSystem makes a silent actor system. A system costs more than a store, so
// many stores share one.
func newSystem() *actor.ActorSystem {
	silent := slog.New(slog.NewTextHandler(io.Discard, nil))
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger { return silent }))
}

var stores atomic.Int64 // for names

// opened is a store that is open.
type opened struct {
	*actors.Store
	view *reader.Reader
	o    actors.Options

	several bool // processes have put since the last check, and some may have died
}

func open(ctx context.Context, system *actor.ActorSystem, o actors.Options) (*opened, error) {
	s, err := actors.Spawn(ctx, system.Root, fmt.Sprint("store-", stores.Add(1)), o)
	if err != nil {
		return nil, err
	}
	r, err := s.Reader()
	if err != nil {
		return nil, err
	}
	return &opened{Store: s, view: r, o: o}, nil
}

// marks is what the store says about itself, for a snapshot.
func (s *opened) marks() oracle.Watermarks {
	state, err := s.State()
	if err != nil {
		return oracle.Watermarks{Min: -1} // being opened or closed
	}
	w := oracle.Watermarks{Flushed: state.Watermarks.Flushed, Min: state.Watermarks.Min}
	if s.o.FlushDiskType == actors.SyncFlush {
		w.Seen = state.Watermarks.Confirm
	}
	return w
}

// check holds the store against a model.
func (s *opened) check(ctx context.Context, m *oracle.Model, at oracle.Snapshot, cut oracle.Cut) (*oracle.Found, error) {
	if err := s.Dispatched(ctx); err != nil {
		return nil, fmt.Errorf("dispatched: %w", err)
	}
	i, err := actors.Inspect(ctx, s.o)
	if err != nil {
		return nil, fmt.Errorf("inspect: %w", err)
	}
	f, err := m.Check(ctx, s.view, i, at, cut, oracle.Options{MultiDispatch: s.o.EnableMultiDispatch, MaxMatches: s.o.MaxMsgsNumBatch, InOrder: !s.several})
	return f, errors.Join(err, i.Close())
}
