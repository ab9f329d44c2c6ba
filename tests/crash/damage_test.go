package crash

import (
	"context"
	"flag"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var flagDamage = flag.Int("damage", 1500, "stores to damage")

// hitsPerRun is how often each store at rest is damaged, each time afresh.
const hitsPerRun = 100

func TestDamage(t *testing.T) {
	began := time.Now()
	var done atomic.Int64
	seed := *flagSeed
	for ; int(done.Load()) < *flagDamage && !t.Failed(); seed++ {
		r := newRun(seed, 8)
		bubble(t, func(t *testing.T) {
			if err := r.produce(context.Background()); err != nil {
				t.Fatalf("%v\n%s", err, replay(t, seed, -1))
			}
		})
		var wg sync.WaitGroup
		for w := range workers() {
			wg.Go(func() {
				j := judge{system: newSystem()}
				defer j.system.Shutdown()
				a, err := j.rest(context.Background(), r)
				if err != nil {
					t.Errorf("%s: %v", r, err)
					return
				}
				for n := w; n < hitsPerRun; n += workers() {
					if *flagImage >= 0 && n != *flagImage {
						continue
					}
					if err := a.damage(context.Background(), seed*hitsPerRun+uint64(n)); err != nil {
						t.Errorf("%s, damage %d\n%v\n%s", r, n, err, replay(t, seed, n))
					}
					done.Add(1)
				}
			})
		}
		wg.Wait()
		if *flagImage >= 0 {
			break
		}
	}
	t.Logf("%d hits, seeds %d to %d, %.0f a second", done.Load(), *flagSeed, seed-1, float64(done.Load())/time.Since(began).Seconds())
}
