package crash

import (
	"context"
	"sync"
	"testing"
)

func TestTail(t *testing.T) {
	y := newTally(t, "tail", *flagTails)
	var wg sync.WaitGroup
	for range workers() {
		wg.Go(func() {
			j := judge{system: newSystem()}
			defer j.system.Shutdown()
			for {
				seed, ok := y.next()
				if !ok {
					return
				}
				c := newTailCase(j, seed)
				y.did(1, c.run(context.Background()), seed, -1, c)
			}
		})
	}
	wg.Wait()
}
