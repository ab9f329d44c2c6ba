package crash

import (
	"context"
	"flag"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/actorstore/actorstore/tests/crash/oracle"
)

var (
	flagImages = flag.Int("images", 2000, "crash images to check")
	flagSeed   = flag.Uint64("seed", 1, "first seed")
	flagImage  = flag.Int("image", -1, "check only this image of the first seed")
	flagRecuts = flag.Int("recuts", 400, "cuts of openings to check")
	flagPerRun = flag.Int("per-run", 60, "most images of one run")
)

// bubble runs f in virtual time and then empties the pools: what a bubble has
// made must not be used outside of it.
func bubble(t *testing.T, f func(t *testing.T)) {
	synctest.Test(t, f)
	runtime.GC()
	runtime.GC()
}

func workers() int { return max(1, runtime.GOMAXPROCS(0)) }

func TestImages(t *testing.T) {
	sweep(t, *flagImages, func(j *judge, im *image) (int, error) { return 1, j.image(context.Background(), im) })
}

func TestRecoveryCrash(t *testing.T) {
	sweep(t, *flagRecuts, func(j *judge, im *image) (int, error) {
		if im.cut != oracle.PowerCut || im.n%8 != 0 && *flagImage < 0 {
			return 0, nil
		}
		return j.recut(context.Background(), im)
	})
}

// sweep runs seeds until so many cases were judged.
func sweep(t *testing.T, cases int, judge func(*judge, *image) (int, error)) {
	began := time.Now()
	done, seed := 0, *flagSeed
	var producing time.Duration
	for ; done < cases && !t.Failed(); seed++ {
		r := newRun(seed, *flagPerRun)
		t0 := time.Now()
		bubble(t, func(t *testing.T) {
			if err := r.produce(context.Background()); err != nil {
				t.Errorf("%v\n%s", err, replay(t, seed, -1))
			}
		})
		producing += time.Since(t0)
		if t.Failed() {
			return
		}
		done += judgeAll(t, r, judge)
		if *flagImage >= 0 {
			break
		}
	}
	t.Logf("%d cases, seeds %d to %d, %.0f a second, %v producing", done, *flagSeed, seed-1, float64(done)/time.Since(began).Seconds(), producing)
}

func replay(t *testing.T, seed uint64, n int) string {
	return fmt.Sprintf("replay: go test ./tests/crash -count=1 -run '^%s$' -seed %d -image %d", t.Name(), seed, n)
}

func judgeAll(t *testing.T, r *run, f func(*judge, *image) (int, error)) int {
	var wg sync.WaitGroup
	var n atomic.Int64
	next := make(chan *image)
	for range workers() {
		wg.Go(func() {
			j := &judge{system: newSystem()}
			defer j.system.Shutdown()
			for im := range next {
				k, err := f(j, im)
				n.Add(int64(k))
				if err != nil {
					t.Errorf("%s\n%v\n%s\n  what stood there:\n%s\n  what the store told:\n%s\n  last calls before the cut:\n%s", im, err, replay(t, r.seed, im.n), im.before(context.Background()), &im.notes, im.trace)
				}
			}
		})
	}
	for _, im := range r.images {
		if *flagImage < 0 || im.n == *flagImage {
			next <- im
		}
	}
	close(next)
	wg.Wait()
	return int(n.Load())
}
