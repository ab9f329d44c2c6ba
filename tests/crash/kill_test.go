package crash

import (
	"context"
	"flag"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	flagKills   = flag.Int("kills", 24, "processes to kill")
	flagKillDir = flag.String("kill-dir", "", "where their stores lie; a temporary directory if empty")
)

// TestMain lets the test binary be a program that puts until it is killed.
func TestMain(m *testing.M) {
	Child()
	flag.Parse()
	os.Exit(m.Run())
}

func TestKill(t *testing.T) {
	dir := *flagKillDir
	if dir == "" {
		dir = t.TempDir()
	}
	began := time.Now()
	var done atomic.Int64
	var seed atomic.Uint64
	seed.Store(*flagSeed - 1)
	var wg sync.WaitGroup
	for range workers() {
		wg.Go(func() {
			j := judge{system: newSystem()}
			defer j.system.Shutdown()
			for int(done.Load()) < *flagKills && !t.Failed() {
				k := newKills(j, seed.Add(1), dir)
				n, err := k.run(context.Background())
				done.Add(int64(n))
				if err != nil {
					t.Errorf("%s\n%v\n%s -kills 1", k, err, replay(t, k.seed, -1))
				}
			}
		})
	}
	wg.Wait()
	t.Logf("%d kills, seeds %d to %d, %.1f a second", done.Load(), *flagSeed, seed.Load(), float64(done.Load())/time.Since(began).Seconds())
}
