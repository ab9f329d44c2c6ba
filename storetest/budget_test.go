package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog"
	"github.com/actorstore/actorstore/flusher"
	"github.com/actorstore/actorstore/storetest"
)

// Append and flusher may fail three times in 60 seconds, together. The fourth
// makes the store read-only; one second later it would not.
func TestBudgetIsExact(t *testing.T) {
	for _, c := range []struct {
		gap      time.Duration // between the failures
		actors   []string
		readOnly int // after so many failures; 0 = never
	}{
		{time.Second, []string{"append"}, 4},
		{time.Second, []string{"flusher"}, 4},
		{time.Second, []string{"append", "flusher"}, 4},
		{20*time.Second - ms, []string{"append", "flusher"}, 4}, // the fourth is 59.997 s behind the first
		{20*time.Second + ms, []string{"flusher", "append"}, 0}, // and here 60.003 s
		{25 * time.Second, []string{"append"}, 0},
	} {
		t.Run(fmt.Sprint(c.gap, c.actors), func(t *testing.T) {
			for _, flush := range []func(*actorstore.Options){asyncFlush, syncFlush} {
				storetest.Virtual(t, func(t *testing.T) { spend(t, c.gap, c.actors, c.readOnly, flush) })
			}
		})
	}
}

func spend(t *testing.T, gap time.Duration, names []string, readOnly int, flush func(*actorstore.Options)) {
	ctx := context.Background()
	s := storetest.Open(t, options(flush), nil)
	began := time.Now()
	for n := 1; n <= 8; n++ {
		if _, err := s.Put(ctx, message("a", 0, fmt.Sprint(n))); err != nil {
			t.Fatalf("before failure %d: %v", n, err)
		}
		s.Kill(names[n%len(names)])
		time.Sleep(time.Duration(n)*gap - time.Since(began)) // the kill takes none
		_, err := s.Put(ctx, message("a", 0, fmt.Sprint(n, " after")))
		if n == readOnly {
			var pe *actorstore.PutError
			if !errors.As(err, &pe) || pe.Status != flusher.ServiceNotAvailable || !errors.Is(err, commitlog.ErrReadOnly) {
				t.Errorf("after failure %d: %v", n, err)
			}
			break
		}
		if err != nil {
			t.Fatalf("after failure %d: %v", n, err)
		}
	}
	if got := s.Told("read-only"); got != min(readOnly, 1) {
		t.Errorf("told %d times that it is read-only: %v", got, s.Events())
	}
	storetest.Check(t, s)
	if err := s.Close(ctx); (err != nil) != (readOnly > 0) {
		t.Errorf("close, read-only after %d failures: %v", readOnly, err)
	}
	if err := s.Reopen(ctx, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(ctx, message("a", 0, "again")); err != nil {
		t.Errorf("reopened: %v", err)
	}
	storetest.Check(t, s)
}
