package flusher_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/actorstore/actorstore/flusher"
)

// fresh is a waiter that counts how often it was given back.
func fresh() (*flusher.Waiter, *atomic.Int32) {
	n := new(atomic.Int32)
	w := &flusher.Waiter{Recycle: func(*flusher.Waiter) { n.Add(1) }}
	w.Reset()
	return w, n
}

func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

// answer is what a caller gets from Wait.
type answer struct {
	mine bool
	err  error
}

// waiting calls Wait on a goroutine.
func waiting(w *flusher.Waiter, ctx context.Context) <-chan answer {
	c := make(chan answer, 1)
	go func() {
		mine, err := w.Wait(ctx)
		c <- answer{mine, err}
	}()
	return c
}

func TestSettledBeforeWait(t *testing.T) {
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, ctx := range []context.Context{context.Background(), canceled} {
		w, n := fresh()
		if w.Done() {
			t.Fatal("done before anything")
		}
		equal(t, "taken", w.Take(), true)
		w.Copied()
		w.Result.PhysicalOffset = 7
		w.Settle()
		equal(t, "done", w.Done(), true)
		mine, err := w.Wait(ctx)
		if !mine || err != nil {
			t.Errorf("got %v, %v, want the answer", mine, err)
		}
		equal(t, "result", w.Result.PhysicalOffset, 7)
		equal(t, "recycled", n.Load(), 0)
	}
}

// The answer reaches a caller that sleeps, in whatever phase it went to sleep.
func TestSettleWakes(t *testing.T) {
	for phase := range 4 {
		for _, ctx := range contexts(t) {
			w, n := fresh()
			var got <-chan answer
			for step := range 4 {
				if step == phase {
					got = waiting(w, ctx)
					for range 50 {
						runtime.Gosched()
					}
				}
				switch step {
				case 0:
					equal(t, "taken", w.Take(), true)
				case 1:
					w.Copied()
				case 2:
					w.Result.QueueOffset = 3
					w.Settle()
				}
			}
			if a := <-got; !a.mine || a.err != nil {
				t.Errorf("phase %d: got %+v", phase, a)
			}
			equal(t, "result", w.Result.QueueOffset, 3)
			equal(t, "recycled", n.Load(), 0)
		}
	}
}

// contexts are one that never ends and one that could.
func contexts(t *testing.T) []context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	return []context.Context{context.Background(), ctx}
}

func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// A caller that leaves before Take withdraws the put: nothing is written, and
// the answerer gets the waiter back, from Take or, without one, from Settle.
func TestLeaveQueued(t *testing.T) {
	for name, end := range map[string]func(w *flusher.Waiter){
		"take":   func(w *flusher.Waiter) { equal(t, "taken", w.Take(), false) },
		"settle": func(w *flusher.Waiter) { w.Settle() },
		"fail":   func(w *flusher.Waiter) { w.Fail(flusher.ServiceNotAvailable, errors.New("closing")) },
	} {
		t.Run(name, func(t *testing.T) {
			w, n := fresh()
			mine, err := w.Wait(ended())
			if mine || !errors.Is(err, context.Canceled) || errors.Is(err, flusher.ErrOutcomeUnknown) {
				t.Errorf("got %v, %v, want the context's error alone", mine, err)
			}
			equal(t, "recycled by the caller", n.Load(), 0)
			end(w)
			equal(t, "recycled", n.Load(), 1)
		})
	}
}

// A caller that leaves after Copied does not know the outcome; Settle gives the
// waiter back.
func TestLeaveCopied(t *testing.T) {
	w, n := fresh()
	w.Take()
	w.Copied()
	mine, err := w.Wait(ended())
	if mine || !errors.Is(err, context.Canceled) || !errors.Is(err, flusher.ErrOutcomeUnknown) {
		t.Errorf("got %v, %v, want ErrOutcomeUnknown and the context's error", mine, err)
	}
	equal(t, "recycled before the answer", n.Load(), 0)
	w.Settle()
	equal(t, "recycled", n.Load(), 1)
}

// While the body is being copied the caller must stay, as the body is its own.
func TestLeaveTaken(t *testing.T) {
	for name, end := range map[string]func(w *flusher.Waiter) answer{
		"copied":  func(w *flusher.Waiter) answer { w.Copied(); return answer{false, flusher.ErrOutcomeUnknown} },
		"settled": func(w *flusher.Waiter) answer { w.Settle(); return answer{true, nil} },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // the second after which nobody stays does not pass
				w, n := fresh()
				w.Take()
				got := waiting(w, ended())
				synctest.Wait()
				select {
				case a := <-got:
					t.Fatalf("left with %+v while the body was in use", a)
				default:
				}
				want := end(w)
				a := <-got
				equal(t, "mine", a.mine, want.mine)
				if !errors.Is(a.err, want.err) {
					t.Errorf("got error %v, want %v", a.err, want.err)
				}
				if !a.mine {
					w.Settle()
				}
				equal(t, "recycled", n.Load(), map[bool]int32{true: 0, false: 1}[a.mine])
			})
		})
	}
}

// Take after an answer is no claim, and gives nothing away twice.
func TestTakeAfterSettle(t *testing.T) {
	w, n := fresh()
	w.Fail(flusher.ServiceNotAvailable, errors.New("closing"))
	equal(t, "taken", w.Take(), false)
	equal(t, "recycled", n.Load(), 0)
	mine, err := w.Wait(context.Background())
	if !mine || err != nil {
		t.Errorf("got %v, %v", mine, err)
	}
}

func TestOnSettled(t *testing.T) {
	w, n := fresh()
	calls := 0
	w.OnSettled = func(got *flusher.Waiter) {
		calls++
		if got != w || !got.Done() {
			t.Errorf("told of %p, done %v", got, got.Done())
		}
	}
	w.Take()
	w.Copied()
	w.Settle()
	equal(t, "calls", calls, 1)
	equal(t, "recycled", n.Load(), 0)
}

// Fail overwrites what Result says, but for how far the bytes have come where
// they may have come anywhere.
func TestFail(t *testing.T) {
	cause := errors.New("mine")
	for status, want := range map[flusher.PutMessageStatus]flusher.Durability{
		flusher.FlushDiskTimeout: flusher.Written, flusher.FlushSlaveTimeout: flusher.Written,
		flusher.ServiceNotAvailable: flusher.NotStored, flusher.CreateMappedFileFailed: flusher.NotStored,
		flusher.MessageIllegal: flusher.NotStored, flusher.OSPageCacheBusy: flusher.NotStored,
	} {
		w, _ := fresh()
		w.Take()
		w.Result.Durability = flusher.Written
		w.Fail(status, cause)
		equal(t, "status", w.Result.Status, status)
		equal(t, "cause", w.Result.Err, cause)
		equal(t, status.String(), w.Result.Durability, want)
	}
}

func TestReset(t *testing.T) {
	w, _ := fresh()
	for i := range int64(3) {
		w.Weight, w.Result.PhysicalOffset = i+1, i+1
		equal(t, "taken", w.Take(), true)
		got := waiting(w, context.Background())
		w.Copied()
		w.Settle()
		equal(t, "mine", (<-got).mine, true)
		w.Reset()
		equal(t, "weight", w.Weight, 0)
		equal(t, "result", w.Result, flusher.PutResult{})
		equal(t, "done", w.Done(), false)
	}
}

// Caller and answerer race in all phases, with a cancel somewhere: each put ends
// exactly once, by an answer or by being given back, and never both; an answer
// that is the caller's is complete; the body is not read after the caller left.
func TestWaiterRace(t *testing.T) {
	const rounds, lanes = 4000, 4
	pool := sync.Pool{New: func() any { return new(put) }}
	var answered, withdrawn, unknown atomic.Int64
	var group sync.WaitGroup
	for lane := range lanes {
		group.Go(func() {
			requests := make(chan *put, 1)
			defer close(requests)
			group.Go(func() { answerer(requests) })
			for i := range rounds {
				p := pool.Get().(*put)
				var back atomic.Int32
				p.Recycle = func(*flusher.Waiter) { back.Add(1) }
				p.Reset()
				p.body = []byte{1}
				p.step = (i + lane) % 7
				p.done = make(chan struct{})
				ctx, cancel := context.WithCancel(context.Background())
				requests <- p
				cancelAt := i % 5
				if cancelAt == 0 {
					cancel()
				} else if cancelAt < 4 {
					go func() {
						for range cancelAt * 3 {
							runtime.Gosched()
						}
						cancel()
					}()
				}
				mine, err := p.Wait(ctx)
				p.body[0] = 2 // the caller's again: the race detector looks
				var size int32
				if mine {
					size = p.Result.Size
				}
				<-p.done
				cancel()
				switch {
				case mine && err == nil && back.Load() == 0 && size == 1:
					answered.Add(1)
				case !mine && err != nil && back.Load() == 1:
					if errors.Is(err, flusher.ErrOutcomeUnknown) {
						unknown.Add(1)
					} else {
						withdrawn.Add(1)
					}
				default:
					t.Errorf("mine %v, error %v, given back %d times, size %d", mine, err, back.Load(), size)
				}
				pool.Put(p)
			}
		})
	}
	group.Wait()
	equal(t, "puts", answered.Load()+withdrawn.Load()+unknown.Load(), rounds*lanes)
	for what, n := range map[string]int64{"answered": answered.Load(), "withdrawn": withdrawn.Load(), "unknown": unknown.Load()} {
		if n == 0 {
			t.Errorf("no put was %s: the test proves little", what)
		}
	}
}

type put struct {
	flusher.Waiter
	body []byte
	step int // how the answerer goes about it
	done chan struct{}
}

// answerer takes puts through their phases, or ends them in the middle.
func answerer(requests <-chan *put) {
	for p := range requests {
		done := p.done
		pause := func() {
			for range p.step {
				runtime.Gosched()
			}
		}
		pause()
		if p.Take() {
			if p.body[0] != 1 {
				panic("the body was changed while it was taken")
			}
			step := p.step
			p.Result.Size = 1
			if step != 3 { // else it fails before the copy
				p.Copied()
			}
			for range step {
				runtime.Gosched()
			}
			p.Settle()
		}
		close(done)
	}
}

func TestStatusNames(t *testing.T) {
	for s, want := range map[fmt.Stringer]string{
		flusher.PutOK: "PUT_OK", flusher.InSyncReplicasNotEnough: "IN_SYNC_REPLICAS_NOT_ENOUGH",
		flusher.ServiceNotAvailable: "SERVICE_NOT_AVAILABLE", flusher.CreateMappedFileFailed: "CREATE_MAPPED_FILE_FAILED",
		flusher.FlushDiskTimeout: "FLUSH_DISK_TIMEOUT", flusher.OSPageCacheBusy: "OS_PAGE_CACHE_BUSY",
		flusher.PutMessageStatus(99): "PutMessageStatus(99)",
		flusher.NotStored:            "not stored", flusher.Replicated: "replicated", flusher.Durability(9): "Durability(9)",
	} {
		equal(t, "name", s.String(), want)
	}
}
