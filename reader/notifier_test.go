package reader

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ends are queue ends for a notifier.
type ends struct {
	n *Notifier
	m sync.Map
}

func newEnds() *ends {
	e := &ends{}
	e.n = NewNotifier(func(topic string, id int32) int64 {
		if v, ok := e.m.Load(queueKey{topic, id}); ok {
			return v.(*atomic.Int64).Load()
		}
		return 0
	})
	return e
}

func (e *ends) advance(topic string, id int32, max int64) {
	v, _ := e.m.LoadOrStore(queueKey{topic, id}, new(atomic.Int64))
	v.(*atomic.Int64).Store(max)
	e.n.Advanced(topic, id, max)
}

// waitFor starts a waiter and returns once it is registered.
func (e *ends) waitFor(c context.Context, topic string, id int32, offset int64) <-chan error {
	before := e.registered()
	done := make(chan error, 1)
	go func() { done <- e.n.Wait(c, topic, id, offset) }()
	for e.registered() == before {
		runtime.Gosched()
	}
	return done
}

func (e *ends) registered() int {
	e.n.mu.Lock()
	defer e.n.mu.Unlock()
	n := 0
	for _, ws := range e.n.queues {
		n += len(*ws)
	}
	return n
}

func must(t *testing.T, done <-chan error, want error) {
	t.Helper()
	select {
	case err := <-done:
		if !errors.Is(err, want) {
			t.Errorf("woken with %v, want %v", err, want)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("not woken")
	}
}

func asleep(t *testing.T, done <-chan error) {
	t.Helper()
	select {
	case err := <-done:
		t.Errorf("woken with %v", err)
	default:
	}
}

// TestF23Offsets: waiters of different offsets, in both orders, each woken by its
// own only.
func TestF23Offsets(t *testing.T) {
	for _, order := range [][]int64{{0, 1}, {1, 0}} {
		e := newEnds()
		var w [2]<-chan error
		for _, offset := range order {
			w[offset] = e.waitFor(ctx, "T", 0, offset)
		}
		e.advance("T", 1, 5)
		e.advance("U", 0, 5)
		asleep(t, w[0])
		e.advance("T", 0, 1)
		must(t, w[0], nil)
		asleep(t, w[1])
		e.advance("T", 0, 2)
		must(t, w[1], nil)
	}
}

// TestF23Thousand: a thousand waiters at random offsets; some give up.
func TestF23Thousand(t *testing.T) {
	e := newEnds()
	rnd := rand.New(rand.NewPCG(3, 4))
	c, cancel := context.WithCancel(ctx)
	var done, cancelled []<-chan error
	var offsets []int64
	for i := range 1000 {
		offset := rnd.Int64N(500)
		if i%5 == 0 {
			cancelled = append(cancelled, e.waitFor(c, "T", 0, offset))
			continue
		}
		offsets = append(offsets, offset)
		done = append(done, e.waitFor(ctx, "T", 0, offset))
	}
	cancel()
	for _, w := range cancelled {
		must(t, w, context.Canceled)
	}
	if n := e.registered(); n != len(done) {
		t.Errorf("%d registered after the others gave up, want %d", n, len(done))
	}
	for max := int64(1); max <= 500; max += 1 + rnd.Int64N(20) {
		e.advance("T", 0, max)
		for i, offset := range offsets {
			if offset >= max {
				asleep(t, done[i])
			} else if offset >= 0 {
				must(t, done[i], nil)
				offsets[i] = -1
			}
		}
	}
	e.advance("T", 0, 500)
	for i, offset := range offsets {
		if offset >= 0 {
			must(t, done[i], nil)
		}
	}
	if n, m, q := e.registered(), e.n.Waiting(), len(e.n.queues); n != 0 || q != 0 {
		t.Errorf("left behind: %d waiters, %d calls, %d queues", n, m, q)
	}
}

// TestNoWakeIsLost: the end moves while waiters come.
func TestNoWakeIsLost(t *testing.T) {
	e := newEnds()
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for offset := int64(w); offset < 2000; offset += 4 {
				if err := e.n.Wait(ctx, "T", 0, offset); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for max := int64(1); max <= 2000; max++ {
		e.advance("T", 0, max)
	}
	wg.Wait()
	if e.n.Waiting() != 0 || e.registered() != 0 {
		t.Error("something is left behind")
	}
}

// TestWakeBetweenLookAndSleep: the end moves just when a waiter has looked at it.
func TestWakeBetweenLookAndSleep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var n *Notifier
		end := int64(0)
		n = NewNotifier(func(string, int32) int64 {
			seen := end
			if end == 0 {
				end = 1
				n.Advanced("T", 0, end)
			}
			return seen
		})
		c, cancel := context.WithTimeout(ctx, time.Hour)
		defer cancel()
		if err := n.Wait(c, "T", 0, 0); err != nil {
			t.Error(err)
		}
	})
}

func TestWaitEnds(t *testing.T) {
	e := newEnds()
	a, b := e.waitFor(ctx, "T", 0, 5), e.waitFor(ctx, "U", 0, 5)
	e.n.Delete("T")
	must(t, a, ErrDeleted)
	asleep(t, b)
	cause := errors.New("stopping")
	e.n.Close(cause)
	must(t, b, cause)
	e.n.Close(nil)
	if err := e.n.Wait(ctx, "T", 0, 0); err != cause {
		t.Errorf("after Close: %v", err)
	}
	c, cancel := context.WithCancel(ctx)
	cancel()
	f := newEnds()
	f.advance("T", 0, 1)
	if err := f.n.Wait(c, "T", 0, 0); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	if err := f.n.Wait(ctx, "T", 0, 0); err != nil {
		t.Errorf("there already: %v", err)
	}
	f.n.Close(nil)
	if err := f.n.Wait(ctx, "T", 0, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

func TestAdvancedIsFree(t *testing.T) {
	e := newEnds()
	if n := testing.AllocsPerRun(100, func() { e.n.Advanced("T", 0, 5) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestPoll: a waiting Get wakes for what its filter takes and for nothing else.
func TestPoll(t *testing.T) {
	s := newStore(t, shape{})
	n := s.r.Notifier()
	s.advanced = n.Advanced
	type answer struct {
		err error
		g   GetResult
	}
	poll := func(c context.Context, req GetRequest) <-chan *answer {
		done := make(chan *answer, 1)
		go func() {
			var a answer
			a.err = s.r.Poll(c, n, req, &a.g)
			done <- &a
		}()
		return done
	}
	tagged := func(i int, tag string) {
		m := message("T", 0, fmt.Sprint(i))
		m.SetTags(tag)
		s.put(m)
	}
	c, cancel := context.WithCancel(ctx)
	all, some, none := poll(ctx, GetRequest{Topic: "T"}), poll(ctx, GetRequest{Topic: "T", Tags: "Aa"}), poll(c, GetRequest{Topic: "T", Tags: "nothing"})
	for i := range 10 {
		tagged(i, "BB") // hashes like Aa
	}
	if a := <-all; a.err != nil || a.g.Status != Found {
		t.Errorf("all: %v %+v", a.err, a.g.Place)
	}
	tagged(10, "Aa")
	if a := <-some; a.err != nil || len(a.g.Messages) != 1 || a.g.Messages[0].QueueOffset != 10 || a.g.NextOffset != 11 {
		t.Errorf("some: %v %+v", a.err, a.g.Place)
	}
	select {
	case a := <-none:
		t.Errorf("none: %v %+v", a.err, a.g.Place)
	default:
	}
	cancel()
	if a := <-none; !errors.Is(a.err, context.Canceled) || len(a.g.Messages) != 0 {
		t.Errorf("none: %v %+v", a.err, a.g.Place)
	}
	if a := <-poll(ctx, GetRequest{Topic: "T", Offset: 50}); a.err != nil || a.g.Status != OffsetOverflowBadly || a.g.NextOffset != 11 {
		t.Errorf("too far ahead: %v %+v", a.err, a.g.Place)
	}
	if n.Waiting() != 0 {
		t.Errorf("%d waiting", n.Waiting())
	}
}

// A queue that does not grow any more keeps nobody waiting, and no other queue is
// touched.
func TestStall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stalled := errors.New("stalled")
		n := NewNotifier(func(topic string, _ int32) int64 { return 5 })
		ctx, cancel := context.WithCancel(t.Context())
		errs, other := make(chan error, 2), make(chan error, 1)
		for range cap(errs) {
			go func() { errs <- n.Wait(ctx, "a", 0, 5) }()
		}
		go func() { other <- n.Wait(ctx, "a", 1, 5) }()
		synctest.Wait()
		n.Stall(func(_ string, queueID int32) error {
			if queueID == 0 {
				return stalled
			}
			return nil
		})
		for range cap(errs) {
			if err := <-errs; err != stalled {
				t.Errorf("waited: %v", err)
			}
		}
		if err := n.Wait(ctx, "a", 0, 5); err != stalled {
			t.Errorf("waits: %v", err)
		}
		if err := n.Wait(ctx, "a", 0, 4); err != nil {
			t.Errorf("it is there: %v", err)
		}
		synctest.Wait()
		n.Advanced("a", 1, 6)
		if err := <-other; err != nil {
			t.Errorf("another queue: %v", err)
		}
		cancel()
		if n.Waiting() != 0 || len(n.queues) != 0 {
			t.Errorf("%d wait, %d queues", n.Waiting(), len(n.queues))
		}
	})
}
