package storetest_test

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/storetest"
)

// Whatever goes wrong in whatever order: nobody waits for ever, nothing that was
// acknowledged is lost, nothing stands out of order, and no goroutine stays.
func TestSeeds(t *testing.T) {
	for i := range uint64(times(*seeds)) {
		t.Run("", func(t *testing.T) {
			seed := *seed + i
			defer func() {
				if t.Failed() {
					t.Logf("go test ./storetest -run '^TestSeeds$' -seeds 1 -seed %d", seed)
				}
			}()
			bubble := storetest.Virtual
			if seed%2 == 0 {
				bubble = storetest.Racing
			}
			bubble(t, func(t *testing.T) { bySeed(t, seed) })
		})
		if t.Failed() {
			return
		}
	}
}

// bySeed runs one script under load, ends the store in one of four ways, and
// looks at what is left.
func bySeed(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	flushed := rng.IntN(2)
	flush := []func(*actorstore.Options){asyncFlush, syncFlush}[flushed]
	script := storetest.Random(seed, 1+rng.IntN(8))
	if at := rng.IntN(20) + 1; flushed == 0 { // the flusher has ticks
		script = append(script, []storetest.Fault{storetest.Drop("flusher", at), storetest.Delay("flusher", at, 20*ms),
			storetest.Reorder("flusher", at), storetest.Duplicate("flusher", at).Every(2).Times(3)}[rng.IntN(4)])
	}
	s := storetest.Open(t, options(flush, func(o *actorstore.Options) {
		o.RestartBudget = rng.IntN(8)
		o.CleanResourceInterval = 50 * time.Millisecond
		o.FlushIntervalCommitLog = 20 * ms
		o.FlushConsumeQueueThoroughInterval = time.Second
	}), script)
	c := load(t, s, 1+rng.IntN(4), time.Duration(2+rng.IntN(8))*ms)
	for range 5 {
		time.Sleep(time.Duration(rng.IntN(100)) * ms)
		ask(t, s)
	}
	if rng.IntN(4) == 0 {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		if err := s.DeleteTopic(ctx, "load"); context.Cause(ctx) != nil {
			t.Errorf("DeleteTopic is not answered: %v", err)
		}
		cancel()
	}
	time.Sleep(500 * ms) // the last fault is armed, and no hang lasts longer than 50 ms
	c.stop()
	if n := s.History.Unanswered(); n != 0 {
		t.Errorf("%d puts are not answered", n)
	}
	storetest.Check(t, s)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	switch rng.IntN(4) {
	case 0:
		s.Crash()
	case 1:
		s.PowerCut(seed, mappedtest.Random)
	case 2:
		s.Heal()
		fallthrough
	default:
		if err := s.Close(ctx); ctx.Err() != nil {
			t.Errorf("close does not end: %v", err)
		}
	}
	// Who panics in a call of the disk may leave its file open: no disk panics.
	torn := slices.ContainsFunc(s.Struck(), func(f string) bool { return strings.HasPrefix(f, "PanicCall") })
	if _, err := s.State(); err != nil && !torn {
		storetest.Left(t, s)
	}
	if err := s.Reopen(ctx, nil); err != nil {
		t.Fatalf("does not open again: %v", err)
	}
	for i := range 3 {
		if _, err := s.Put(ctx, message("after", 0, string(rune('a'+i)))); err != nil {
			t.Errorf("put after all: %v", err)
		}
	}
	storetest.Check(t, s)
	if err := s.Close(ctx); err != nil {
		t.Errorf("close after all: %v", err)
	}
	if !torn {
		storetest.Left(t, s)
	}
	storetest.Check(t, s)
}
