package actors

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// A Close without a deadline gave up after 30 seconds in its last steps, though
// the disk was only slow: the last sync of a store that has much to write.
func TestSlowEndIsNoHang(t *testing.T) {
	for name, rule := range map[string]mappedtest.Rule{
		"log":    {Op: mappedtest.OpFlush, Path: root + "/commitlog/*", Delay: 20 * hangLimit},
		"index":  {Op: mappedtest.OpFlush, Path: root + "/index/*", Delay: 20 * hangLimit},
		"queues": {Op: mappedtest.OpDatasync, Path: "queuefile-*", Delay: 20 * hangLimit, Forever: true}, // each of them
		"abort":  {Op: mappedtest.OpRemove, Path: root + "/abort", Delay: 20 * hangLimit},
	} {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r := open(t, asyncFlush, watchHangs(&seam{}), func(o *Options) { o.FlushIntervalCommitLog = time.Hour })
				r.puts("a", 0, 10)
				for queue := range int32(10) {
					r.put("b", queue, "x")
				}
				r.dispatched()
				r.script.Add(rule)
				began := time.Now()
				if err := r.s.Close(context.Background()); err != nil {
					t.Errorf("close: %v", err)
				}
				if took := time.Since(began); took < 20*hangLimit {
					t.Errorf("it took %v: the test tests nothing", took)
				}
				time.Sleep(time.Second)
				if r.told("slow store") != 1 {
					t.Errorf("nobody was told why it takes so long: %q", r.events)
				}
				r.start()
				if r.told("opened clean=true") != 2 {
					t.Errorf("%q", r.events)
				}
				r.numbered("a", 10)
				r.close()
			})
		})
	}
}

// A disk that does not return from the last sync at all does not hold up a Close
// for ever; the error says in what it hangs, and the lock stays with who does.
func TestHungEnd(t *testing.T) {
	virtual(t, func(t *testing.T) {
		gate := make(chan struct{})
		r := open(t, asyncFlush, watchHangs(&seam{}), func(o *Options) { o.FlushIntervalCommitLog = time.Hour })
		r.puts("a", 0, 10)
		r.dispatched()
		r.script.Add(mappedtest.Rule{Op: mappedtest.OpFlush, Path: root + "/commitlog/*", Before: func() { <-gate }})
		began := time.Now()
		err := r.s.Close(context.Background())
		var hung *HungError
		if !errors.As(err, &hung) || len(hung.Actors) != 1 || hung.Actors[0].Actor != storeName || hung.Actors[0].For < diskLimits*hangLimit ||
			!strings.Contains(err.Error(), "the last flush of the log") {
			t.Errorf("close: %v", err)
		}
		if took := time.Since(began); took > (diskLimits+2)*hangLimit {
			t.Errorf("it took %v", took)
		}
		if held, err := checkpoint.IsLocked(r.disk, r.layout().LockFile()); !held || err != nil {
			t.Errorf("the lock: %v %v", held, err)
		}
		close(gate)
		if err := r.s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		r.start()
		r.numbered("a", 10)
		r.close()
	})
}
