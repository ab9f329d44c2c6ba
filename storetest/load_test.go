package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/storetest"
)

func message(topic string, queue int32, body string) *actorstore.Message {
	return &actorstore.Message{Topic: topic, QueueID: queue, Body: []byte(body),
		Properties: actorstore.NewProperties("KEYS", "k-"+body)}
}

func syncFlush(o *actorstore.Options)  { o.FlushDiskType = actorstore.SyncFlush }
func asyncFlush(o *actorstore.Options) { o.FlushDiskType = actorstore.AsyncFlush }

func options(change ...func(*actorstore.Options)) actorstore.Options {
	o := storetest.Options()
	for _, f := range change {
		f(&o)
	}
	return o
}

// callers put until they are stopped, each to its own queue, and read now and
// then through a message to the store's actor.
type callers struct {
	t    testing.TB
	s    *storetest.Store
	end  atomic.Bool
	wait sync.WaitGroup
}

func load(t testing.TB, s *storetest.Store, producers int, pause time.Duration) *callers {
	c := &callers{t: t, s: s}
	for p := range producers {
		c.wait.Go(func() {
			for i := 0; !c.end.Load(); i++ {
				c.put(p, i)
				time.Sleep(pause)
			}
		})
	}
	return c
}

func (c *callers) put(p, i int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	m := message("load", int32(p), fmt.Sprint(p, "-", i))
	if _, err := c.s.Put(ctx, m); err != nil {
		if ctx.Err() != nil {
			c.t.Errorf("put %d-%d is not answered: %v", p, i, err)
		}
		time.Sleep(time.Millisecond)
	}
}

func (c *callers) stop() {
	c.end.Store(true)
	c.wait.Wait()
}

// ask sends a look-up to the store's actor, for its readers.
func ask(t testing.TB, s *storetest.Store) {
	run := s.Actors()
	get := &actors.Get{GetRequest: actorstore.GetRequest{Topic: "load", MaxCount: 4}}
	answer, err := run.System().Root.RequestFuture(run.PID(), get, time.Minute).Result()
	if _, closed := s.State(); errors.Is(err, actor.ErrDeadLetter) && errors.Is(closed, actorstore.ErrClosed) {
		return // it has failed too often, and ended
	}
	if err != nil {
		t.Errorf("a look-up is not answered: %v", err)
		return
	}
	if _, ok := answer.(*actors.GetReply); !ok {
		t.Errorf("%T", answer)
	}
}
