package fault_test

import (
	"os"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/tests/fault"
)

// rigClient is a client of a new store on a real disk, whose segments hold some
// hundred messages.
func rigClient(t *testing.T, root string, sync bool) *fault.Client {
	t.Helper()
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	c := fault.NewClient(mapped.OS(), root, sync)
	c.Options.MappedFileSizeCommitLog = 256 << 10
	c.Options.MappedFileSizeConsumeQueue = 100 * 20
	c.Options.MaxHashSlotNum, c.Options.MaxIndexNum = 100, 400
	c.Limit = fault.Real
	return c
}

// putWhile puts with 16 in flight. ASYNC_FLUSH would answer too fast for a check
// of it all, so the puts take turns with the disk.
func putWhile(c *fault.Client, going func() bool) {
	var flight []*fault.Put
	for n := 1; going(); n++ {
		for len(flight) < 16 {
			flight = append(flight, c.Begin("orders", int32(len(c.Puts)%3), 100+len(c.Puts)*len(c.Puts)%2900))
		}
		c.Wait(flight[0])
		flight = flight[1:]
		if !c.Sync() && n%32 == 0 {
			time.Sleep(time.Millisecond)
		}
	}
	for _, p := range flight {
		c.Wait(p)
	}
}
