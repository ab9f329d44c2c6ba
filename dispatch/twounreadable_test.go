package dispatch_test

import (
	"os"
	"testing"
	"time"

	"github.com/actorstore/actorstore/dispatch"
)

// Two segments in a row that cannot be read: the reader for the index comes past both,
// and nothing in front of them or behind is lost to it.
func TestTwoUnreadableSegments(t *testing.T) {
	log, _, at := onDisk(t)
	for _, f := range log.Segments()[1:3] {
		noErr(t, os.Truncate(f.Path(), 0))
	}
	readable := 0
	for _, a := range at {
		if a.End() <= segment || a.PhysicalOffset >= 3*segment {
			readable++
		}
	}
	keys, w := dispatch.NewKeyReput(log.Reader(), dispatch.Rules{Shards: 1}, 0), &dispatch.Window{}
	damages, keyed, done := 0, 0, make(chan error, 1)
	go func() {
		for keys.Pos() < log.Confirm() {
			if err := keys.Read(w, log.Confirm()); err != nil {
				done <- err
				return
			}
			damages, keyed = damages+len(w.Damage), keyed+len(w.Keyed)
		}
		done <- nil
	}()
	select {
	case err := <-done:
		noErr(t, err)
		equal(t, "damages", damages, 1)
		equal(t, "records with keys", keyed, readable)
	case <-time.After(20 * time.Second):
		t.Fatal("it goes on for ever")
	}
}
