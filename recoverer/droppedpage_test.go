package recoverer_test

import (
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestDroppedPageIsTheEnd: an opening could not write the log again, the process died,
// and the system has dropped the pages that it could not write. The mark still told that
// nobody had cut the power, and so they passed for damage inside the log.
func TestDroppedPageIsTheEnd(t *testing.T) {
	for _, o := range [][]option{nil, {syncFlush}} {
		s := open(t, newFS(), o...)
		s.put(message("T", 0, 0, 100))
		s.summary()
		s.mark()
		a := s.put(message("T", 0, 1, 100))
		for i := 0; s.log.Appended() < segmentSize+1000; i++ {
			s.add(message("T", 0, 2+i, 200))
		}
		s.kill()

		script := mappedtest.NewScript(s.fs, mappedtest.Rule{Op: mappedtest.OpDatasync, Path: mapped.Name(0), Err: syscall.EIO})
		dying := open(t, script, o...)
		if dying.report.ReadOnly == nil {
			t.Fatal("the log was written again")
		}
		dying.kill()
		s = open(t, s.fs.(*mappedtest.FS).DropCaches(), o...)
		if s.report.End != a.End() || len(s.report.Damage) > 0 {
			t.Errorf("the log ends at %d, want %d; damage %v", s.report.End, a.End(), s.report.Damage)
		}
	}
}
