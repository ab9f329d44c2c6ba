package actors

import (
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// A panic in a call to the disk, wherever it is in an opening, ends that opening:
// what recovery did on several goroutines at once ended the process.
func TestOpeningMayPanicAnywhere(t *testing.T) {
	r := open(t)
	for queue := range int32(12) {
		for i := range 5 {
			r.put("a", queue, fmt.Sprint(i))
		}
	}
	r.dispatched()
	image := r.disk.Kill()
	r.close()
	for at := 1; ; at += 1 + at/40 {
		var hit atomic.Bool
		disk := image.Kill()
		script := mappedtest.NewScript(disk, mappedtest.Rule{At: at, Before: func() { hit.Store(true); panic("opening") }})
		s, err := Open(r.ctx, small(script))
		if err == nil {
			err = s.Close(r.ctx)
		}
		if hit.Load() && err == nil {
			t.Logf("call %d: nobody minds", at)
		}
		if held, err := checkpoint.IsLocked(disk, r.layout().LockFile()); held || err != nil {
			t.Fatalf("call %d: the lock is held: %v %v", at, held, err)
		}
		if !hit.Load() {
			if at < 200 {
				t.Errorf("only %d calls", at)
			}
			break
		}
	}
}
