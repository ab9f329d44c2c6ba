package storetest_test

import (
	"flag"
	"testing"

	"github.com/actorstore/actorstore/tests/leak"
)

var (
	panics = flag.Int("panics", 200, "injected panics for each kind of actor")
	seeds  = flag.Int("seeds", 1000, "random scripts in virtual time")
	seed   = flag.Uint64("seed", 1, "the first of them; a failure prints its own")
)

func TestMain(m *testing.M) { leak.Main(m) }

// times is n, or a tenth of it under the race detector.
func times(n int) int {
	if raced {
		return max(n/10, 1)
	}
	return n
}
