package crash

import (
	"context"
	"flag"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var flagTails = flag.Int("tails", 600, "logs with a bad place to judge")

func TestTail(t *testing.T) {
	began := time.Now()
	var next, done atomic.Int64
	var wg sync.WaitGroup
	for range workers() {
		wg.Go(func() {
			j := judge{system: newSystem()}
			defer j.system.Shutdown()
			for !t.Failed() {
				n := next.Add(1) - 1
				if n >= int64(*flagTails) {
					return
				}
				c := newTailCase(j, *flagSeed+uint64(n))
				if err := c.run(context.Background()); err != nil {
					t.Errorf("%s\n%v\n%s -tails 1", c, err, replay(t, c.seed, -1))
				}
				done.Add(1)
			}
		})
	}
	wg.Wait()
	t.Logf("%d cases, seeds from %d, %.0f a second", done.Load(), *flagSeed, float64(done.Load())/time.Since(began).Seconds())
}
