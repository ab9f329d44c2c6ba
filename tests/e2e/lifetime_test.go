package e2e_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/leak"
)

// TestWaiting: Wait and Poll return with the message they wait for, with the
// context's error, or when the store is closed; a queue need not exist.
func TestWaiting(t *testing.T) {
	s, _ := fresh(t)
	put(t, s, "t", "0", "1")
	must(t, s.Wait(t.Context(), "t", 0, 1))
	type answer struct {
		err    error
		bodies string
	}
	poll := func(ctx context.Context, req actorstore.GetRequest) <-chan answer {
		c := make(chan answer, 1)
		go func() {
			var got actorstore.GetResult
			a := answer{err: s.Poll(ctx, req, &got)}
			for i := range got.Messages {
				a.bodies += string(got.Messages[i].Body) + ";"
			}
			c <- a
		}()
		return c
	}
	waited := make(chan error, 2)
	go func() { waited <- s.Wait(t.Context(), "t", 0, 3) }()
	go func() { waited <- s.Wait(t.Context(), "new", 5, 0) }()
	behind := poll(t.Context(), actorstore.GetRequest{Topic: "t", Offset: 2})
	unborn := poll(t.Context(), actorstore.GetRequest{Topic: "later"})
	tagged := poll(t.Context(), actorstore.GetRequest{Topic: "t", Tags: "wanted"})
	put(t, s, "t", "2")
	if a := <-behind; a != (answer{nil, "2;"}) {
		t.Errorf("poll: %+v", a)
	}
	m := text("t", 0, "3")
	m.SetTags("wanted")
	_, err := s.Put(t.Context(), m)
	must(t, err)
	if a := <-tagged; a != (answer{nil, "3;"}) {
		t.Errorf("poll with a tag: %+v", a)
	}
	put(t, s, "later", "first")
	if a := <-unborn; a != (answer{nil, "first;"}) {
		t.Errorf("poll of a new queue: %+v", a)
	}
	_, err = s.Put(t.Context(), text("new", 5, ""))
	must(t, err)
	must(t, <-waited)
	must(t, <-waited)

	ctx, cancel := context.WithCancel(t.Context())
	cancelled := poll(ctx, actorstore.GetRequest{Topic: "t", Offset: 4})
	cancel()
	if a := <-cancelled; !errors.Is(a.err, context.Canceled) {
		t.Errorf("cancelled: %+v", a)
	}
	if err := s.Wait(ctx, "t", 0, 4); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	open := poll(t.Context(), actorstore.GetRequest{Topic: "t", Offset: 4})
	closeStore(t, s)
	if a := <-open; !errors.Is(a.err, actorstore.ErrClosed) {
		t.Errorf("closed: %+v", a)
	}
}

// TestClosed: closing twice is fine, nothing runs on, and whatever is called
// afterwards answers that the store is closed.
func TestClosed(t *testing.T) {
	before := goleak.IgnoreCurrent()
	defer func() { must(t, leak.Find(before)) }()
	s, o := fresh(t)
	put(t, s, "t", "0", "1")
	var wait sync.WaitGroup
	for range 3 {
		wait.Go(func() {
			if err := s.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	closeStore(t, s)

	ctx := t.Context()
	var got actorstore.GetResult
	_, stateErr := s.State()
	_, putErr := s.Put(ctx, text("t", 0, "2"))
	_, batchErr := s.PutBatch(ctx, []actorstore.Message{*text("t", 0, "2")})
	_, beginErr := s.Begin(text("t", 0, "2"))
	for name, err := range map[string]error{
		"state": stateErr, "put": putErr, "batch": batchErr, "begin": beginErr,
		"async":      s.PutAsync(text("t", 0, "2"), func(actorstore.PutResult) { t.Error("called") }),
		"flush":      s.Flush(ctx),
		"dispatched": s.Dispatched(ctx),
		"delete":     s.DeleteTopic(ctx, "t"),
		"wait":       s.Wait(ctx, "t", 0, 7),
		"poll":       s.Poll(ctx, actorstore.GetRequest{Topic: "t", Offset: 2}, &got),
	} {
		if !errors.Is(err, actorstore.ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var refused *actorstore.PutError
	if !errors.As(putErr, &refused) || refused.Status.String() != "SERVICE_NOT_AVAILABLE" {
		t.Errorf("put: %v", putErr)
	}
	// The files are gone from memory: reads fail, and do no harm.
	if err := s.Get(ctx, actorstore.GetRequest{Topic: "t"}, &got); err == nil && len(got.Messages) > 0 {
		t.Error("a closed store gave a message")
	}
	if m, err := s.Lookup(ctx, 0); err == nil {
		t.Errorf("look-up: %+v", m)
	}
	s.Query(ctx, actorstore.QueryRequest{Topic: "t", Key: "k"})
	s.OffsetByTime("t", 0, 0, actorstore.Lower)
	s.MessageTime("t", 0, 0)
	s.Topics()
	i, err := actorstore.Inspect(ctx, o)
	must(t, err)
	sameBodies(t, bodies(t, i, "t", 0, 0), "0", "1")
	must(t, i.Close())
}

// TestCancelled: a context that has ended opens nothing, and leaves a put
// either not stored or, as its error says, unknown.
func TestCancelled(t *testing.T) {
	s, o := fresh(t)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	stored := 0
	for i := range 200 {
		r, err := s.Put(ended, text("t", 0, fmt.Sprint(i)))
		switch {
		case err == nil && r.Status == actorstore.PutOK:
			stored++ // it was faster than the context
		case errors.Is(err, context.Canceled) && r.Status != actorstore.PutOK:
		default:
			t.Fatalf("%+v, %v", r, err)
		}
	}
	r, err := s.Put(t.Context(), text("t", 0, "last"))
	must(t, err)
	if r.QueueOffset < int64(stored) {
		t.Errorf("%d puts were answered PUT_OK, the queue holds %d", stored, r.QueueOffset)
	}
	if err := s.Get(ended, actorstore.GetRequest{Topic: "t"}, new(actorstore.GetResult)); !errors.Is(err, context.Canceled) {
		t.Errorf("get: %v", err)
	}
	if err := s.Flush(ended); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("flush: %v", err)
	}
	closeStore(t, s)
	if s, err := actorstore.Open(ended, o); err == nil {
		closeStore(t, s) // it was faster than the context
	} else if !errors.Is(err, context.Canceled) {
		t.Errorf("open: %v", err)
	}
	free(t, o)
	s = open(t, o)
	if all := bodies(t, s, "t", 0, 0); int64(len(all)) != r.QueueOffset+1 || all[len(all)-1] != "last" {
		t.Errorf("%d messages, want %d", len(all), r.QueueOffset+1)
	}
	if err := s.Close(ended); err != nil && !errors.Is(err, context.Canceled) {
		t.Errorf("close: %v", err)
	}
	s.Close(t.Context())
	s = open(t, o)
	if all := bodies(t, s, "t", 0, 0); int64(len(all)) != r.QueueOffset+1 {
		t.Errorf("%d messages after a close that was cut short, want %d", len(all), r.QueueOffset+1)
	}
}

// free waits until a store that was called off while it opened has gone: it ends behind
// the call to the disk that it is in.
func free(t *testing.T, o actorstore.Options) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		held, err := checkpoint.IsLocked(mapped.OS(), filepath.Join(o.StorePathRootDir, "lock"))
		if must(t, err); !held {
			return
		}
		if time.Now().After(end) {
			t.Fatal("it has been called off and holds its lock for a minute")
		}
	}
}

// TestManyProducers: all that was answered is there, each producer's messages
// in its order, in one store and after a restart.
func TestManyProducers(t *testing.T) {
	const producers, each, queues = 8, 200, 3
	for _, flush := range []actorstore.FlushDiskType{actorstore.AsyncFlush, actorstore.SyncFlush} {
		t.Run(flush.String(), func(t *testing.T) {
			s, o := fresh(t, func(o *actorstore.Options) { o.FlushDiskType = flush })
			var wait sync.WaitGroup
			for p := range producers {
				wait.Go(func() {
					for i := range each {
						if _, err := s.Put(t.Context(), text("t", int32(p%queues), fmt.Sprint(p, " ", i))); err != nil {
							t.Error(err)
							return
						}
					}
				})
			}
			wait.Wait()
			must(t, s.Dispatched(t.Context()))
			check := func(v e2e.View) {
				t.Helper()
				next := make([]int, producers)
				for q := range queues {
					for _, body := range bodies(t, v, "t", int32(q), 0) {
						var p, i int
						_, err := fmt.Sscan(body, &p, &i)
						must(t, err)
						if p%queues != q || i != next[p] {
							t.Fatalf("queue %d has %q, want message %d of that producer", q, body, next[p])
						}
						next[p]++
					}
				}
				for p, n := range next {
					if n != each {
						t.Errorf("producer %d: %d messages of %d", p, n, each)
					}
				}
			}
			check(s)
			closeStore(t, s)
			check(open(t, o))
		})
	}
}

// TestCloseAtOnce: a store that is closed right behind its puts answers them
// all, and what it answered stands in queues and index when Close returns.
func TestCloseAtOnce(t *testing.T) {
	const messages = 3000
	s, o := fresh(t)
	begun := make([]actorstore.Pending, messages)
	for i := range begun {
		m := text("t", int32(i%7), fmt.Sprint(i))
		m.SetKeys(fmt.Sprint("k", i))
		var err error
		begun[i], err = s.Begin(m)
		must(t, err)
	}
	closeStore(t, s)
	stored := 0
	for i := range begun {
		r, err := begun[i].Wait(t.Context())
		must(t, err)
		if r.QueueOffset != int64(i/7) {
			t.Fatalf("message %d has offset %d", i, r.QueueOffset)
		}
		stored = int(r.End())
	}
	i, err := actorstore.Inspect(t.Context(), o)
	must(t, err)
	defer i.Close()
	if _, end := i.Bounds(); !i.Clean() || end != int64(stored) {
		t.Errorf("clean %v, end %d, want %d", i.Clean(), end, stored)
	}
	for q := range 7 {
		if n := len(bodies(t, i, "t", int32(q), 0)); n != (messages-q+6)/7 {
			t.Errorf("queue %d: %d messages", q, n)
		}
	}
	for _, n := range []int{0, messages / 2, messages - 1} {
		q, err := i.Query(t.Context(), actorstore.QueryRequest{Topic: "t", Key: fmt.Sprint("k", n)})
		if err != nil || len(q.Messages) != 1 || string(q.Messages[0].Body) != fmt.Sprint(n) {
			t.Errorf("k%d: %v, %d messages", n, err, len(q.Messages))
		}
	}
}
