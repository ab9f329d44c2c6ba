package actors

import (
	"errors"
	"fmt"
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

// quietly runs what an actor does on its way out. A panic there would bring it
// back to life, or leave whoever stops it waiting for ever.
func (t *tree) quietly(f func()) {
	err := guarded(func() error {
		f()
		return nil
	})
	if err != nil {
		t.o.Logger.Error().Err(err).Msg("while stopping")
	}
}
