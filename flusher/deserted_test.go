package flusher_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/flusher"
)

// A caller is back within a second of its deadline though the store hangs while
// it reads the message, and is told not to use that again. The waiter is given
// back once, by the answer.
func TestDeserted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		recycled := 0
		w := &flusher.Waiter{Recycle: func(*flusher.Waiter) { recycled++ }}
		w.Reset()
		if !w.Take() {
			t.Fatal("not taken")
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		began := time.Now()
		mine, err := w.Wait(ctx)
		if mine || !errors.Is(err, flusher.ErrBodyInUse) || !errors.Is(err, flusher.ErrOutcomeUnknown) || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v %v", mine, err)
		}
		if took := time.Since(began); took < 2*time.Second || took > 2100*time.Millisecond {
			t.Errorf("took %v", took)
		}
		w.Copied()
		if recycled != 0 {
			t.Error("given back before it was answered")
		}
		w.Settle()
		if recycled != 1 || !w.Done() {
			t.Errorf("given back %d times", recycled)
		}
	})
}
