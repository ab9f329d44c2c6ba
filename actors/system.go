package actors

import (
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/rs/zerolog"
)

// newSystem makes the ActorSystem of a store that was opened without one.
// protoactor logs each recovery of an actor by itself; the store tells of it
// with an event and its own line, so the system's logger is silent unless the
// store's is at debug level.
func newSystem(logger zerolog.Logger) *actor.ActorSystem {
	handler := slog.Handler(slog.DiscardHandler)
	if logger.GetLevel() <= zerolog.DebugLevel {
		handler = zerolog.NewSlogHandler(logger)
	}
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(handler)
	}))
}
