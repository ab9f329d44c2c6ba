package actors

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/asynkron/protoactor-go/actor"
)

// forge sends an actor what only protoactor itself sends.
func (r *rig) forge(pid *actor.PID, message any) {
	r.t.Helper()
	process, ok := r.s.system.ProcessRegistry.GetLocal(pid.Id)
	if !ok {
		r.t.Fatalf("%s is not there", pid.Id)
	}
	process.SendSystemMessage(pid, message)
}

// Who restarts the append actor past its supervisor takes no put along: those that
// have gathered behind a flush are answered, and no number is left out.
func TestRestartedFromOutside(t *testing.T) {
	for name := range kinds {
		t.Run(name, func(t *testing.T) {
			virtual(t, func(t *testing.T) {
				r := open(t, syncFlush)
				syncs := r.holdSyncs()
				puts := []Pending{r.begin("0")}
				synctest.Wait() // in the flush
				puts = append(puts, r.begin("1"), r.begin("2"))
				synctest.Wait() // gathered
				r.forge(r.pid(name), &actor.Restart{})
				close(syncs)
				synctest.Wait()
				puts = append(puts, r.begin("3"))
				acked := 0
				for i, p := range puts {
					ctx, cancel := context.WithTimeout(r.ctx, deadline)
					result, err := p.Wait(ctx)
					if ctx.Err() != nil {
						t.Errorf("put %d is not answered", i)
					}
					cancel()
					if err == nil {
						acked++
						if result.QueueOffset != int64(i) {
							t.Errorf("put %d has number %d", i, result.QueueOffset)
						}
					}
				}
				if n := r.tree().admission.inFlight.Load(); n != 0 {
					t.Errorf("%d bytes stay in flight", n)
				}
				r.dispatched()
				if got := len(r.bodies("a", 0)); got < acked {
					t.Errorf("%d messages, %d were acknowledged", got, acked)
				}
				r.reopen()
				if got := len(r.bodies("a", 0)); got < acked {
					t.Errorf("after opening %d messages, %d were acknowledged", got, acked)
				}
				r.close()
			})
		})
	}
}

// A put of nothing is refused as that.
func TestPutOfNoMessage(t *testing.T) {
	r := open(t)
	want := `message: want one, got nil`
	if _, err := r.s.Put(r.ctx, nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("put: %v", err)
	}
	if _, err := r.s.Begin(nil); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("begin: %v", err)
	}
	if _, err := r.s.PutBatch(r.ctx, nil); err == nil || !strings.Contains(err.Error(), "batch: want at least one message, got none") {
		t.Errorf("batch: %v", err)
	}
	r.close()
}
