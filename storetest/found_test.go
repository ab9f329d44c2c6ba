package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/storetest"
)

// Whoever deletes a topic was left waiting when append died of writing out what
// had gathered before it could answer.
func TestDeleteTopicWhileAppendDies(t *testing.T) {
	storetest.Virtual(t, func(t *testing.T) {
		s := storetest.Open(t, options(syncFlush), nil)
		put(t, s, 0, 3)
		if err := s.Dispatched(t.Context()); err != nil {
			t.Fatal(err)
		}
		s.Add(storetest.HangCall(mappedtest.OpDatasync, 1).Under("/store/commitlog/*"))
		var wait sync.WaitGroup
		for i := range 5 { // the first is being flushed, the others gather
			wait.Go(func() { _, _ = s.Put(context.Background(), message("a", int32(i), fmt.Sprint(i))) })
			synctest.Wait()
		}
		s.Add(storetest.PanicCall(mappedtest.OpWrite, 1).Under("/store/commitlog/*"))
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.DeleteTopic(ctx, "a"); err == nil || errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("DeleteTopic: %v", err)
		}
		if len(s.Struck()) != 2 {
			t.Errorf("struck: %v", s.Struck())
		}
		s.Heal()
		wait.Wait()
		storetest.Check(t, s)
	})
}
