package storetest_test

import (
	"flag"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var (
	panics = flag.Int("panics", 200, "injected panics for each kind of actor")
	seeds  = flag.Int("seeds", 1000, "random scripts in virtual time")
	seed   = flag.Uint64("seed", 1, "the first of them; a failure prints its own")
)

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if err := leaks(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// leaks finds goroutines that stay; protoactor's throttle of dead letters needs a
// second to end.
func leaks() (err error) {
	for end := time.Now().Add(5 * time.Second); ; {
		if err = goleak.Find(); err == nil || time.Now().After(end) {
			return err
		}
	}
}

// times is n, or a tenth of it under the race detector.
func times(n int) int {
	if raced {
		return max(n/10, 1)
	}
	return n
}
