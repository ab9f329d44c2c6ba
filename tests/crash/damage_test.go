package crash

import (
	"context"
	"fmt"
	"sync"
	"testing"
)

// hitsPerRun is how often each store at rest is damaged, each time afresh.
const hitsPerRun = 100

func TestDamage(t *testing.T) {
	y := newTally(t, "damage", *flagDamage)
	for {
		seed, ok := y.next()
		if !ok {
			return
		}
		r := produced(y, seed, 8)
		if r == nil {
			continue
		}
		var wg sync.WaitGroup
		for w := range workers() {
			wg.Go(func() { damageAll(y, r, w) })
		}
		wg.Wait()
	}
}

// damageAll does the share of one worker.
func damageAll(y *tally, r *run, worker int) {
	j := judge{system: newSystem()}
	defer j.system.Shutdown()
	a, err := j.rest(context.Background(), r)
	if err != nil {
		y.did(1, err, r.seed, -1, r)
		return
	}
	for n := worker; n < hitsPerRun; n += workers() {
		if *flagImage >= 0 && n != *flagImage {
			continue
		}
		err := a.damage(context.Background(), r.seed*hitsPerRun+uint64(n))
		y.did(1, err, r.seed, n, r, fmt.Sprintf("  damage %d", n), a.im.notes.String())
	}
}
