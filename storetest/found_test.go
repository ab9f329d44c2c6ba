package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
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
			storetest.Settle()
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

// The supervisor of a store failed and was back at once, but the store that Open had
// given read from the files of the time before, for good.
func TestReadsAfterTheSupervisorFailed(t *testing.T) {
	storetest.Virtual(t, func(t *testing.T) {
		s := storetest.Open(t, options(), nil)
		put(t, s, 0, 10)
		s.Kill("store")
		time.Sleep(time.Second)
		if s.Told("restarted store") != 1 {
			t.Fatalf("%v", s.Events())
		}
		put(t, s, 10, 20)
		if err := s.Dispatched(t.Context()); err != nil {
			t.Fatal(err)
		}
		var got actorstore.GetResult
		if err := s.Get(t.Context(), actorstore.GetRequest{Topic: "a", MaxCount: 32, MaxBytes: 1 << 20}, &got); err != nil || len(got.Messages) != 20 {
			t.Errorf("%d messages: %v", len(got.Messages), err)
		}
		if err := s.Poll(t.Context(), actorstore.GetRequest{Topic: "a", Offset: 19, MaxCount: 1}, &got); err != nil || len(got.Messages) != 1 {
			t.Errorf("%d messages: %v", len(got.Messages), err)
		}
		if found, err := s.Query(t.Context(), actorstore.QueryRequest{Topic: "a", Key: "k-3", End: 1 << 62}); err != nil || len(found.Messages) != 1 {
			t.Errorf("by key: %d messages: %v", len(found.Messages), err)
		}
		if most, err := s.MaxOffset("a", 0); err != nil || most != 20 || len(s.Topics()) != 1 {
			t.Errorf("%d %v, topics %v", most, err, s.Topics())
		}
		storetest.Check(t, s)
		if err := s.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if err := s.Get(t.Context(), actorstore.GetRequest{Topic: "a"}, &got); !errors.Is(err, actorstore.ErrClosed) || s.Topics() != nil {
			t.Errorf("a store that is closed: %v", err)
		}
	})
}
