package actors

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/rs/zerolog"
)

// errPanic is in the errors that were panics.
var errPanic = errors.New("panic")

// guarded runs f where a panic must not go further, and makes it an error.
func guarded(f func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			if cause, ok := reason.(error); ok {
				err = fmt.Errorf("%w: %w", errPanic, cause)
			} else {
				err = fmt.Errorf("%w: %v", errPanic, reason)
			}
		}
	}()
	return f()
}

// alone runs f where nobody is who could catch its panic, and it would be the end of
// the process: the functions of users that it may come to are not worth that.
func alone(f func()) {
	_ = guarded(func() error { f(); return nil })
}

// apart runs f where neither its panic nor the end of its goroutine must go further:
// on one of its own, for which it waits.
func apart(f func() error) error {
	done, err := make(chan struct{}), errGoexit
	go func() {
		defer close(done)
		debug.SetPanicOnFault(true) // as in the goroutine of an actor
		err = guarded(f)
	}()
	<-done
	return err
}

// quietly runs what an actor does on its way out. A panic there would bring it
// back to life, or leave whoever stops it waiting for ever.
func (t *tree) quietly(f func()) {
	if err := apart(func() error { f(); return nil }); err != nil {
		say(t.o.Logger.Error().Err(err), "while stopping")
	}
}

// say writes a line of the log. The logger's writer and hooks are the user's: what
// they do must harm nobody who has something to tell.
func say(line *zerolog.Event, message string) {
	if line.Enabled() {
		_ = apart(func() error { line.Msg(message); return nil })
	}
}
