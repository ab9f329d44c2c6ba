package crash

import (
	"context"
	"flag"
	"sync"
	"testing"
)

var flagKillDir = flag.String("kill-dir", "", "where the stores of killed processes lie; a temporary directory if empty")

func TestKill(t *testing.T) {
	dir := *flagKillDir
	if dir == "" {
		dir = t.TempDir()
	}
	y := newTally(t, "kill", *flagKills)
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
				k := newKills(j, seed, dir)
				n, err := k.run(context.Background())
				y.did(n, err, seed, -1, k)
			}
		})
	}
	wg.Wait()
}
