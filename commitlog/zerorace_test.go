package commitlog_test

import (
	"sync"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// Who looks for the end of a log while zeros are written there reads zeros.
func TestZerosBesideAScan(t *testing.T) {
	b := begin(t, mappedtest.NewFS(), "/store", ahead(2*mega))
	b.fill(1, mega) // the zeros begin just where the log ends
	var wait sync.WaitGroup
	wait.Go(func() {
		if err := b.alloc.Zero(time.Unix(0, 0)); err != nil {
			t.Error(err)
		}
	})
	for range 100 {
		if list, _ := scan(t, b.log, 0, 4*mega); len(list) != 1 {
			t.Errorf("%d entries, want 1", len(list))
		}
	}
	wait.Wait()
}
