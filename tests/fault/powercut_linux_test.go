package fault_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestPowerCut cuts the power of real file systems in the middle of puts: all
// that was acknowledged before is there afterwards, then at most a prefix of
// what was sent; under ASYNC_FLUSH less than the flush interval is missing.
func TestPowerCut(t *testing.T) {
	needRoot(t, "mkfs.ext4", "mkfs.xfs", "truncate")
	dir, child := isolated(t)
	if !child {
		return
	}
	tmpfs(t, filepath.Join(dir, "host"), "2g")
	for _, kind := range []string{"ext4", "xfs"} {
		for _, sync := range []bool{true, false} {
			n := map[string]int{"ext4": 30, "xfs": 12}[kind]
			powerCuts(t, dir, kind, sync, cycles(n))
		}
	}
}

// cutsPerDisk is how many power cuts one file system and store live through.
const cutsPerDisk = 6

func powerCuts(t *testing.T, dir, kind string, sync bool, n int) {
	var d *disk
	var c *fault.Client
	var lost []time.Duration
	rng := rand.New(rand.NewPCG(*flagSeed, uint64(len(kind))))
	acked, inFlight := 0, 0
	for i := range n {
		if i%cutsPerDisk == 0 {
			if d != nil {
				d.unmount(t)
			}
			d = newDisk(t, filepath.Join(dir, "host"), filepath.Join(dir, "disk"), kind, "320M", "")
			c = fault.NewClient(mapped.OS(), filepath.Join(dir, "disk", "store"), sync)
			c.Options.MappedFileSizeCommitLog = 256 << 10
			c.Options.MappedFileSizeConsumeQueue = 100 * 20
			c.Options.MaxHashSlotNum, c.Options.MaxIndexNum = 100, 400
			c.Options.FlushIntervalCommitLog = 100 * time.Millisecond
			c.Limit = 10 * time.Second
		}
		cut := cutOnce(t, d, c, time.Duration(20+rng.IntN(180))*time.Millisecond)
		acked, inFlight = acked+cut.acked, inFlight+cut.open
		if !sync {
			lost = append(lost, cut.lost)
		}
		if len(c.Faults) > 0 {
			t.Fatalf("%s sync=%v, cut %d: %v", kind, sync, i, c.Faults)
		}
	}
	d.unmount(t)
	note(t, "powercut-"+kind+"-"+map[bool]string{true: "sync", false: "async"}[sync], n, violated(t))
	t.Logf("%s, %v: %d power cuts, %d messages acknowledged before one, %d sent and not yet", kind, c.Options.FlushDiskType, n, acked, inFlight)
	if !sync {
		slices.Sort(lost)
		t.Logf("%s, %v at %v: a power cut has cost what was put in the last %v at most, %v in the median",
			kind, c.Options.FlushDiskType, c.Options.FlushIntervalCommitLog, lost[len(lost)-1], lost[len(lost)/2])
		if most := lost[len(lost)-1]; most > c.Options.FlushIntervalCommitLog+time.Second {
			t.Errorf("%v of puts were lost", most)
		}
	}
}

// aCut is what one power cut has shown.
type aCut struct {
	acked, open int
	lost        time.Duration
}

// cutOnce opens the store, puts until the power fails, lets the store find out,
// and looks at what is left. The sample of what was acknowledged is taken before
// the cut: a sync that is under way may succeed without effect.
func cutOnce(t *testing.T, d *disk, c *fault.Client, after time.Duration) (cut aCut) {
	t.Helper()
	first := len(c.Puts)
	if !c.Open() {
		t.Fatal("does not open")
	}
	var settled atomic.Int64
	settled.Store(int64(first))
	type sample struct {
		upTo int64
		at   time.Time
		err  error
	}
	cuts := make(chan sample)
	go func() {
		time.Sleep(after)
		s := sample{upTo: settled.Load(), at: time.Now()}
		s.err = d.powerCut()
		cuts <- s
	}()
	var flight []*fault.Put
	wait := func() {
		c.Wait(flight[0])
		settled.Store(int64(flight[0].ID) + 1)
		flight = flight[1:]
	}
	var s sample
	for more := 200; more > 0; {
		for len(flight) < 16 {
			flight = append(flight, c.Begin("orders", int32(len(c.Puts)%3), 100+len(c.Puts)%900))
		}
		wait()
		select {
		case s = <-cuts:
			cuts = nil
		default:
		}
		if cuts == nil {
			more-- // the store meets the dead disk
		}
	}
	for len(flight) > 0 {
		wait()
	}
	if s.err != nil {
		t.Fatal(s.err)
	}
	_ = c.Close()
	d.unmount(t)
	d.mount(t)
	for _, p := range c.Puts[first:] {
		switch {
		case p.Outcome == fault.Acked && int64(p.ID) < s.upTo:
			cut.acked++
		case p.Outcome != fault.Refused:
			p.Outcome = fault.Unknown // answered after the cut, or never
			cut.open++
		}
	}
	if !c.Open() {
		t.Fatal("does not open after the power cut")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := c.Store.Dispatched(ctx); err != nil {
		t.Fatal(err)
	}
	seen, _ := fault.Read(ctx, c.Store)
	oldest := s.at
	for _, p := range c.Puts[first:] {
		if _, is := seen[p.ID]; !is && p.Outcome == fault.Acked && !c.Sync() {
			p.Outcome = fault.Unknown // PUT_OK promised the page cache
			if at := time.UnixMilli(p.Result.StoreTimestamp); at.Before(oldest) {
				oldest = at
			}
		}
	}
	cut.lost = s.at.Sub(oldest)
	if err := c.Check(ctx, c.Store, 0, c.Promised(1<<62)); err != nil {
		c.Faults = append(c.Faults, fmt.Errorf("cut after %v: %w", after, err))
	}
	c.Settle()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	return cut
}
