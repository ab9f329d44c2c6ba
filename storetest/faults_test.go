package storetest_test

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/storetest"
)

func put(t *testing.T, s *storetest.Store, from, to int) {
	t.Helper()
	for i := from; i < to; i++ {
		if _, err := s.Put(context.Background(), message("a", 0, fmt.Sprint(i))); err != nil {
			t.Fatalf("put %d: %v", i, err)
		}
	}
}

// A panic strikes at the message that it names, and is the reason that the event
// tells of.
func TestPanicAtCounts(t *testing.T) {
	var reason atomic.Value
	o := options(func(o *actorstore.Options) {
		o.Events.ActorRestarted = func(e actorstore.ActorEvent) { reason.Store(e.Reason) }
	})
	s := storetest.Open(t, o, storetest.Script{storetest.PanicAt("append", 3), storetest.PanicAfter("append", 4)})
	put(t, s, 0, 2)
	// It was not touched: its caller may put it again, and is not left in doubt.
	if _, err := s.Put(context.Background(), message("a", 0, "2")); !errors.Is(err, actorstore.ErrRestarting) || errors.Is(err, actorstore.ErrOutcomeUnknown) {
		t.Errorf("the third put: %v", err)
	}
	if err := storetest.Await(context.Background(), func() bool { return reason.Load() != nil }); err != nil {
		t.Fatal(err)
	}
	var injected *storetest.Injected
	if err, ok := reason.Load().(error); !ok || !errors.As(err, &injected) || injected.Actor != "append" || injected.Step != actors.StepPut {
		t.Errorf("reason %v", reason.Load())
	}
	back(t, s, 3)
	if _, err := s.Put(context.Background(), message("a", 0, "5")); !errors.Is(err, actorstore.ErrOutcomeUnknown) {
		t.Errorf("a put that was encoded: %v", err)
	}
	back(t, s, 6)
	want := []string{`PanicAt("append", 3)`, `PanicAfter("append", 4)`}
	if got := s.Struck(); !reflect.DeepEqual(got, want) {
		t.Errorf("struck %v, want %v", got, want)
	}
	storetest.Check(t, s)
	if s.History.Acknowledged() != 2 || s.History.Refused() != 1 || s.History.Unknown() != 1 {
		t.Errorf("%d %d %d", s.History.Acknowledged(), s.History.Refused(), s.History.Unknown())
	}
}

// back puts one message once append is there again; refused ones do not count.
func back(t *testing.T, s *storetest.Store, i int) {
	t.Helper()
	err := storetest.Await(context.Background(), func() bool {
		_, err := s.Store.Put(context.Background(), message("b", 0, fmt.Sprint(i)))
		return err == nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Who stands still lets nothing through until it is released.
func TestHangs(t *testing.T) {
	storetest.Virtual(t, func(t *testing.T) {
		o := options(func(o *actorstore.Options) { o.HangTimeout = 0 }) // or the store goes on without them
		s := storetest.Open(t, o, storetest.Script{storetest.Hang("queues-0", 1), storetest.Hang("queues-1", 1)})
		storetest.Settle() // the queues begin by reading the log themselves, which is no message
		put(t, s, 0, 5)
		time.Sleep(time.Hour)
		storetest.Settle()
		if most, err := s.MaxOffset("a", 0); err == nil && most > 0 {
			t.Errorf("%d messages went past", most)
		}
		s.Release()
		storetest.Check(t, s)
		s.Add(storetest.Hang("dispatch", 1).For(time.Minute), storetest.HangCall(mappedtest.OpFlush, 1).For(time.Minute))
		began := time.Now()
		put(t, s, 5, 10)
		if err := s.Dispatched(t.Context()); err != nil || time.Since(began) < time.Minute {
			t.Errorf("dispatched after %v: %v", time.Since(began), err)
		}
		if err := s.Flush(t.Context()); err != nil {
			t.Error(err)
		}
		storetest.Check(t, s)
	})
}

// Signals are lost, late, overtaken and doubled as the script says, and the store
// makes good for it.
func TestSignals(t *testing.T) {
	for _, c := range []struct {
		fault storetest.Fault
		now   int64 // messages that can be read at once
		soon  int64 // and a second later
	}{
		{storetest.Drop("dispatch", 1).On("wake"), 1, 1},
		{storetest.Delay("dispatch", 1, 500*ms).On("wake"), 1, 2},
		{storetest.Reorder("dispatch", 1).On("wake"), 1, 2},
		{storetest.Duplicate("dispatch", 1).On("wake"), 2, 2},
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			storetest.Virtual(t, func(t *testing.T) {
				s := storetest.Open(t, options(), nil)
				put(t, s, 0, 1)
				time.Sleep(time.Second)
				storetest.Settle() // nobody is on his way
				s.Add(c.fault)
				put(t, s, 1, 2)
				storetest.Settle()
				now, _ := s.MaxOffset("a", 0)
				time.Sleep(time.Second)
				soon, _ := s.MaxOffset("a", 0)
				if now > c.now || soon != c.soon {
					t.Errorf("%d messages at once, %d later, want %d and %d; struck: %v", now, soon, c.now, c.soon, s.Struck())
				}
				if len(s.Struck()) != 1 {
					t.Errorf("struck: %v", s.Struck())
				}
				put(t, s, 2, 3) // its wake makes up for the one that was lost
				storetest.Settle()
				time.Sleep(time.Second)
				if n, _ := s.MaxOffset("a", 0); n != 3 {
					t.Errorf("%d messages after the next put", n)
				}
				storetest.Check(t, s)
			})
		})
	}
}

// While the clock stands still no tick arrives and every message has the same
// time; afterwards both go on from there.
func TestPausedClock(t *testing.T) {
	storetest.Virtual(t, func(t *testing.T) {
		s := storetest.Open(t, options(), nil)
		put(t, s, 0, 1)
		time.Sleep(time.Minute)
		storetest.Settle()
		s.PauseClock()
		at := time.Now()
		for i := 1; i < 4; i++ {
			put(t, s, i, i+1)
			time.Sleep(time.Hour)
		}
		storetest.Check(t, s)
		state, _ := s.State()
		if state.Watermarks.Flushed == state.Watermarks.Appended {
			t.Error("it was flushed while the clock stood still")
		}
		s.ResumeClock()
		storetest.Settle()
		if state, _ = s.State(); state.Watermarks.Flushed != state.Watermarks.Appended {
			t.Error("the tick that was due has not come")
		}
		time.Sleep(time.Second)
		put(t, s, 4, 5)
		if err := s.Dispatched(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i, want := range []time.Time{1: at, 2: at, 3: at, 4: at.Add(time.Second + ms)} {
			if got, err := s.MessageTime("a", 0, int64(i)); i > 0 && (err != nil || got != want.UnixMilli()) {
				t.Errorf("message %d has the time %d, want %d: %v", i, got, want.UnixMilli(), err)
			}
		}
	})
}

// Calls fail as often as the script says.
func TestFailingCalls(t *testing.T) {
	storetest.Virtual(t, func(t *testing.T) {
		s := storetest.Open(t, options(), storetest.Script{
			storetest.FailCall(mappedtest.OpDiskUsage, 2, syscall.EIO).Every(2).Times(3),
			storetest.PanicCall(mappedtest.OpWrite, 1).Under("mark").After(time.Minute),
		})
		put(t, s, 0, 1)
		time.Sleep(2 * time.Minute)
		put(t, s, 1, 2)
		time.Sleep(2 * time.Minute)
		failed := 0
		for _, c := range s.Disk().Trace() {
			if errors.Is(c.Err, syscall.EIO) {
				failed++
			}
		}
		if failed != 3 || s.Told("restarted checkpoint") != 1 {
			t.Errorf("%d calls failed; %v", failed, s.Events())
		}
		storetest.Check(t, s)
	})
}

// After a crash and after a power cut the store has what it has promised, in
// memory and in a directory.
func TestCrashes(t *testing.T) {
	ctx := context.Background()
	s := storetest.Open(t, options(syncFlush), nil)
	n := 0
	for _, crash := range []func(){s.Crash, func() { s.PowerCut(7, mappedtest.Random) }, func() { s.PowerCut(8, mappedtest.Nothing) }, func() {}} {
		put(t, s, n, n+20)
		n += 20
		crash()
		if err := s.Reopen(ctx, nil); err != nil {
			t.Fatal(err)
		}
		storetest.Check(t, s)
		if most, _ := s.MaxOffset("a", 0); most != int64(n) {
			t.Errorf("%d messages, want %d", most, n)
		}
	}
	if clean, unclean := s.Told("opened clean=true"), s.Told("opened clean=false"); clean != 2 || unclean != 3 {
		t.Errorf("%v", s.Events())
	}
	o := actorstore.DefaultOptions(t.TempDir())
	o.MappedFileSizeCommitLog, o.MaxHashSlotNum, o.MaxIndexNum = 1<<20, 64, 512
	d := storetest.Open(t, o, storetest.Script{storetest.PanicAt("index", 1)})
	put(t, d, 0, 20)
	storetest.Check(t, d)
	d.Crash()
	if err := d.Reopen(ctx, nil); err != nil {
		t.Fatal(err)
	}
	storetest.Check(t, d)
	if d.Told("opened clean=false") != 1 || d.Told("restarted index") != 1 {
		t.Errorf("%v", d.Events())
	}
}

// A seed is a script, and a script is Go source that makes it again.
func TestScripts(t *testing.T) {
	for seed := range uint64(200) {
		a, b := storetest.Random(seed, 6), storetest.Random(seed, 6)
		if a.String() != b.String() || len(a) != 6 {
			t.Fatalf("seed %d: %v, then %v", seed, a, b)
		}
	}
	if storetest.Random(1, 6).String() == storetest.Random(2, 6).String() {
		t.Error("two seeds, one script")
	}
	for seed := range uint64(5000) {
		if err := storetest.Random(seed, 4).Validate(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
	}
	s := storetest.Script{
		storetest.Hang("append", 2).For(3 * time.Second), storetest.Delay("flusher", 1, 20*ms).On("tick").Every(2).Times(4),
		storetest.HangCall(mappedtest.OpSyncDir, 1), storetest.PauseClock().After(time.Minute), storetest.Kill("index"),
	}
	want := `storetest.Script{storetest.Hang("append", 2).For(3*time.Second), storetest.Delay("flusher", 1, 20*time.Millisecond).On("tick").Every(2).Times(4), ` +
		`storetest.HangCall(mappedtest.OpSyncDir, 1), storetest.PauseClock().After(1*time.Minute), storetest.Kill("index")}`
	if s.String() != want {
		t.Errorf("got %v\nwant %v", s, want)
	}
}

// Faults that could never strike are refused: a test with one would be green and
// test nothing.
func TestScriptsThatCannotStrike(t *testing.T) {
	for _, f := range []storetest.Fault{
		storetest.PanicAt("flushr", 3), storetest.PanicAt("flusher", 0), storetest.Kill("queues"),
		storetest.FailCall(mappedtest.OpDatasync, 3, nil), storetest.Delay("dispatch", 1, -time.Second),
		storetest.PauseClock().For(-1), storetest.PanicAt("reader", 1), storetest.PanicAt("index-1", 1),
		storetest.PanicAt("flusher", 1).On("putts"), storetest.PanicAt("index", 1).On("put"), storetest.Hang("dispatch", 1).On("other"),
		storetest.Drop("index", 1), storetest.Drop("append", 1).On("tick"), storetest.Drop("append", 1).On("put"),
		storetest.PanicAt("flusher", 1).Times(3), storetest.Kill("flusher").Every(2), storetest.PauseClock().Every(1).Times(2),
		storetest.FailCall(mappedtest.OpWrite, 1, syscall.EIO).Every(2), storetest.PanicCall(mappedtest.OpWrite, 1).Under("[a"), storetest.PanicAt("append", 1).For(time.Second),
		storetest.PanicAt("append", 1).Under("mark"), storetest.HangCall(mappedtest.OpWrite, 1).On("put"), storetest.PauseClock().On("tick"),
	} {
		s, err := storetest.Start(context.Background(), storetest.Options(), storetest.Script{f})
		if err == nil {
			t.Errorf("%v is taken", f)
			_ = s.Store.Close(context.Background())
		}
	}
}
