package fault_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/actorstore/actorstore/tests/crash/oracle"
	"github.com/actorstore/actorstore/tests/fault"
)

// TestPowerCut cuts the power of real file systems in the middle of puts: all
// that was acknowledged before is there afterwards, then at most a prefix of
// what was sent; under ASYNC_FLUSH nothing is missing that had waited for longer
// than the flush interval, the time in which the log was being flushed left out.
func TestPowerCut(t *testing.T) {
	needRoot(t, "mkfs.ext4", "mkfs.xfs", "truncate")
	dir, child := isolated(t)
	if !child {
		return
	}
	tmpfs(t, filepath.Join(dir, "host"), "2g")
	for _, kind := range []string{"ext4", "xfs"} {
		d := newDisk(t, filepath.Join(dir, "host"), filepath.Join(dir, "disk"), kind, "320M", "")
		for _, sync := range []bool{true, false} {
			r := powerCuts{disk: d, sync: sync, rng: rand.New(rand.NewPCG(*flagSeed, uint64(len(kind))))}
			r.run(t, cycles(50))
		}
		d.unmount(t)
	}
}

// cutsPerStore is how many power cuts one store lives through.
const cutsPerStore = 5

// powerCuts are those of one file system and flush type.
type powerCuts struct {
	disk  *disk
	sync  bool
	rng   *rand.Rand
	c     *fault.Client
	acked int // before a cut
	open  int // sent and not acknowledged before it
	watch *watch
	lost  []time.Duration // the age of the oldest message that a cut has cost
	idle  []time.Duration // of that the time in which nothing was being done about it
}

func (r *powerCuts) run(t *testing.T, n int) {
	flush := map[bool]string{true: "sync", false: "async"}[r.sync]
	began, cut := time.Now(), 0
	defer func() { note(t, "powercut-"+r.disk.kind+"-"+flush, cut, violated(t)) }()
	for ; cut < n; cut++ {
		if cut%cutsPerStore == 0 {
			r.c = rigClient(t, filepath.Join(r.disk.at, "store"), r.sync)
			if r.watch = newWatch(); !r.sync {
				r.c.Options.FS = r.watch.before(r.c.Options.FS, filepath.Join(r.disk.at, "store", "commitlog"))
			}
		}
		fmt.Fprintf(os.Stderr, "case %s %s, cut %d\n", r.disk.kind, flush, cut)
		r.once(t)
		if len(r.c.Faults) > 0 {
			t.Fatalf("%s %s, cut %d: %v", r.disk.kind, flush, cut, errors.Join(r.c.Faults...))
		}
	}
	t.Logf("%s, %s: %d power cuts in %v, %d messages acknowledged before one, %d sent and not yet", r.disk.kind, flush, n,
		time.Since(began).Round(time.Millisecond), r.acked, r.open)
	if !r.sync {
		slices.Sort(r.lost)
		t.Logf("%s, %s at %v: a power cut has cost what was put in the last %v at most, %v in the median; without flushes %v at most",
			r.disk.kind, flush, r.c.Options.FlushIntervalCommitLog, r.lost[len(r.lost)-1], r.lost[len(r.lost)/2], slices.Max(r.idle))
	}
}

// once opens the store, puts until the power fails, lets the store find out, and
// looks at what is left.
func (r *powerCuts) once(t *testing.T) {
	t.Helper()
	c := r.c
	if !c.Open() {
		t.Fatal("does not open")
	}
	first := len(c.Puts)
	stop := r.watch.start()
	at, when := r.powerFails(t)
	stop()
	_ = c.Close()
	r.disk.unmount(t)
	r.disk.mount(t)
	if !c.Open() {
		t.Fatal("does not open after the power cut")
	}
	sent, acked := c.Model.CountsAt(at)
	r.acked, r.open = r.acked+acked, r.open+sent-acked
	found, err := c.Reopened(context.Background(), at, oracle.PowerCut)
	if err != nil {
		c.Fault("%w", err)
	} else if !r.sync {
		r.missing(oldest(c.Puts[first:], found, when), when)
	}
	if err := c.Close(); err != nil {
		c.Fault("close: %w", err)
	}
}

// powerFails puts until the power fails and the store has met the dead disk. The
// snapshot is begun before the cut: a sync that is under way may succeed without
// effect.
func (r *powerCuts) powerFails(t *testing.T) (at oracle.Snapshot, when time.Time) {
	t.Helper()
	soon, later := 1+r.rng.IntN(map[bool]int{true: 400, false: 1500}[r.sync]), time.Duration(r.rng.IntN(2000))*time.Microsecond
	cut := make(chan error)
	power := func() {
		time.Sleep(later)
		var err error
		at = r.c.Model.Take(r.c.Marks, func() { when, err = time.Now(), r.disk.powerCut() })
		cut <- err
	}
	dead := 50 // puts that meet the dead disk
	putWhile(r.c, func() bool {
		select {
		case err := <-cut:
			if err != nil {
				t.Fatal(err)
			}
			cut = nil
		default:
		}
		if soon--; soon == 0 {
			go power()
		}
		if cut == nil {
			dead--
		}
		return dead > 0
	})
	return at, when
}

// missing measures how long the oldest message that a cut has cost had waited, and
// how much of that before a flush was begun for it. It is a figure: on a machine
// that serves others, too, nobody wakes in time. TestFlushInterval of package actors
// holds the store to its interval, in virtual time.
func (r *powerCuts) missing(age time.Duration, cut time.Time) {
	r.lost, r.idle = append(r.lost, age), append(r.idle, r.watch.idle(cut.Add(-age), cut))
}

// oldest is how long before a cut the oldest message that it has cost was put.
func oldest(puts []*fault.Put, found *oracle.Found, cut time.Time) time.Duration {
	for _, p := range puts {
		if at := time.UnixMilli(p.Result.StoreTimestamp); p.Acked() && !found.Has(p.Serial) && at.Before(cut) {
			return cut.Sub(at)
		}
	}
	return 0
}
