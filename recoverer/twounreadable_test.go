package recoverer_test

import (
	"testing"
	"time"

	"github.com/actorstore/actorstore/commitlog/mapped"
)

// TestTwoUnreadableSegments: recovery comes past two segments in a row that cannot be
// read, and nothing of them is lost once the disk is well.
func TestTwoUnreadableSegments(t *testing.T) {
	fsys, _ := unreadableStore(t, 0, 0, true)
	fsys.(unreadable).keep[s0.CommitLog()+"/"+mapped.Name(segmentSize)] = 0
	done := make(chan *store, 1)
	go func() {
		s, err := tryOpen(t, fsys, checkQueues)
		if err != nil {
			t.Error(err)
		}
		done <- s
	}()
	var s *store
	select {
	case s = <-done:
	case <-time.After(time.Minute):
		t.Fatal("it goes on for ever")
	}
	if t.Failed() {
		return
	}
	s.kill()
	s = open(t, fsys.(unreadable).FS, checkQueues)
	if got := s.read("T", 0); got != line(0, 60) {
		t.Errorf("read %s", got)
	}
	s.kill()
}
