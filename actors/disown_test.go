package actors

import (
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// A flush fails, and the kernel drops the pages that it could not write, while pages
// behind them stay. The mark of the same mount said that a kill leaves no hole, and so
// the hole was taken for damage: messages behind one that nobody has were kept.
func TestDroppedPagesAreNoDamage(t *testing.T) {
	r := open(t, asyncFlush)
	r.puts("a", 0, 3)
	if err := r.s.Flush(r.ctx); err != nil {
		t.Fatal(err)
	}
	large := strings.Repeat("x", 10_000)
	under, goOn := make(chan struct{}), make(chan struct{})
	r.script.Add(mappedtest.Rule{Op: mappedtest.OpFlush, Path: root + "/commitlog/*", Err: syscall.EIO,
		Before: func() { close(under); <-goOn }})
	r.put("a", 0, large)
	flushed, s, ctx := make(chan error, 1), r.s, r.ctx // the rig goes on to another store
	go func() { flushed <- s.Flush(ctx) }()
	<-under
	for range 5 {
		r.put("a", 0, large) // pages that the flush is not for
	}
	close(goOn)
	if err := <-flushed; err == nil {
		t.Error("the flush succeeds")
	}
	eventually(t, "it is read-only", func() bool { return r.told("read-only") == 1 })
	r.disk = r.disk.DropCaches()
	r.start(asyncFlush)
	if damage := r.tree().rooms.report.Damage; len(damage) > 0 {
		t.Errorf("taken for damage: %v", damage)
	}
	if n := len(r.bodies("a", 0)); n != 3 {
		t.Errorf("%d messages are there, want those in front of the flush that failed", n)
	}
	r.close()
}
