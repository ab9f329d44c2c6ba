package actors

import (
	"context"
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
		handler = harmless{zerolog.NewSlogHandler(logger)}
	}
	return actor.NewActorSystem(actor.WithLoggerFactory(func(*actor.ActorSystem) *slog.Logger {
		return slog.New(handler)
	}))
}

// harmless is a handler that may panic: protoactor logs where nobody catches that.
type harmless struct{ slog.Handler }

// Handle drops a line whose writer panics, or ends the goroutine.
func (h harmless) Handle(ctx context.Context, line slog.Record) error {
	return apart(func() error { return h.Handler.Handle(ctx, line) })
}

// WithAttrs is part of slog.Handler.
func (h harmless) WithAttrs(attrs []slog.Attr) slog.Handler {
	return harmless{h.Handler.WithAttrs(attrs)}
}

// WithGroup is part of slog.Handler.
func (h harmless) WithGroup(name string) slog.Handler { return harmless{h.Handler.WithGroup(name)} }
