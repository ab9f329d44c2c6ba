package crash

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

var (
	flagImages = flag.Int("images", 2000, "crash images to check")
	flagSeed   = flag.Uint64("seed", 1, "first seed")
	flagImage  = flag.Int("image", -1, "check only this image of the first seed")
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
	began := time.Now()
	done, seed := 0, *flagSeed
	var producing time.Duration
	for ; done < *flagImages && !t.Failed(); seed++ {
		r := newRun(seed, *flagPerRun)
		t0 := time.Now()
		bubble(t, func(t *testing.T) {
			if err := r.produce(context.Background()); err != nil {
				t.Errorf("%v\n%s", err, replay(seed, -1))
			}
		})
		producing += time.Since(t0)
		if t.Failed() {
			return
		}
		done += judgeAll(t, r)
	}
	t.Logf("%d images, seeds %d to %d, %.0f images/s, %v producing", done, *flagSeed, seed-1, float64(done)/time.Since(began).Seconds(), producing)
}

func replay(seed uint64, n int) string {
	return fmt.Sprintf("replay: go test ./tests/crash -run TestImages -images 1 -seed %d -image %d", seed, n)
}

func judgeAll(t *testing.T, r *run) int {
	var wg sync.WaitGroup
	next := make(chan *image)
	for range workers() {
		wg.Go(func() {
			j := &judge{system: newSystem()}
			defer j.system.Shutdown()
			for im := range next {
				if err := j.image(context.Background(), im); err != nil {
					t.Errorf("%s\n%v\n%s\n  what the store told:\n%s\n  last calls before the cut:\n%s", im, err, replay(r.seed, im.n), &im.notes, im.trace)
				}
			}
		})
	}
	n := 0
	for _, im := range r.images {
		if *flagImage < 0 || im.n == *flagImage {
			next <- im
			n++
		}
	}
	close(next)
	wg.Wait()
	return n
}

func TestMain(m *testing.M) { flag.Parse(); os.Exit(m.Run()) }
