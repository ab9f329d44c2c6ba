package e2e_test

import (
	"context"
	"sync"
	"testing"

	"github.com/actorstore/actorstore"
)

// TestInspectBesideWriter looks at a store at every moment of a busy writer's
// work: segments that roll, queues that grow, marks that are written. Not one
// finding is told, since nothing is damaged.
func TestInspectBesideWriter(t *testing.T) {
	o := actorstore.DefaultOptions(t.TempDir())
	o.MappedFileSizeCommitLog, o.MappedFileSizeConsumeQueue = 1<<20, 20_000
	o.MaxHashSlotNum, o.MaxIndexNum = 997, 20_000 // few enough files for a fast writer
	s := open(t, o)
	ctx, stop := context.WithCancel(t.Context())
	var wait sync.WaitGroup
	for w := range 4 {
		wait.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				m := actorstore.Message{Topic: "t", QueueID: int32(w), Body: make([]byte, 10+i*37%3000)}
				m.SetKeys("k")
				if _, err := s.Put(context.Background(), &m); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	met := 0
	for range 60 {
		i, err := actorstore.Inspect(t.Context(), o)
		must(t, err)
		r := i.Report()
		for _, f := range r.Findings {
			t.Error(f)
		}
		if r.Writer >= 0 {
			met++
			if r.Writer != r.End {
				t.Errorf("the writer at %d, the end at %d", r.Writer, r.End)
			}
		}
		if !i.Locked() {
			t.Error("not in use")
		}
		must(t, i.Close())
		if t.Failed() {
			break
		}
	}
	stop()
	wait.Wait()
	closeStore(t, s)
	t.Logf("the writer was met %d times", met)
}
