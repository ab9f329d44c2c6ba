package storetest

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"
)

// settled is how long a bubble waits at its end: a throttle of protoactor's lives
// for a second after a dead letter.
const settled = 2 * time.Second

// Virtual runs a test in a bubble of testing/synctest, actors and all: timers and
// tickers take no time, and the bubble ends only when every goroutine that was
// started in it has ended, so a leak fails the test. Stores must be opened and
// closed inside; those of Open are closed by themselves.
//
// The run repeats itself (see Determinism): it has one processor, and actors and
// callers take turns, for each of which a few microseconds pass. synctest.Wait
// does not wait for turns; use Settle.
func Virtual(t *testing.T, run func(t *testing.T)) {
	t.Helper()
	ordered.Store(true)
	defer ordered.Store(false)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	Racing(t, run)
}

// Racing is Virtual without an order: actors run at the same moment, on all
// processors, as the scheduler likes. It finds what Virtual cannot, above all
// with the race detector, and the next run may go another way.
func Racing(t *testing.T, run func(t *testing.T)) {
	t.Helper()
	// Requests are pooled and hold a channel, which must not leave its bubble: two
	// collections empty the pools.
	drain := func() { runtime.GC(); runtime.GC() }
	drain()
	defer drain()
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() { time.Sleep(settled) }) // behind the stores
		run(t)
	})
}

// Settle waits, in a bubble of Virtual or Racing, until what has been begun is
// done: a millisecond of virtual time.
func Settle() {
	time.Sleep(time.Millisecond)
	synctest.Wait()
}
