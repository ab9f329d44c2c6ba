package recoverer_test

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// TestLostLogUnreadQueue: the log is gone altogether, as where its file system is not
// mounted. A queue that could not be read for once was passed over, and the store was
// opened as an empty one: the queues were cut to nothing. So was one whose end is
// damaged, though its front points at what is gone.
func TestLostLogUnreadQueue(t *testing.T) {
	s := open(t, newFS())
	s.puts("T", 50)
	for _, f := range s.log.Segments() {
		remove(t, s.fs, f.Path())
	}
	remove(t, s.fs, s.layout.Ours())
	dir := s.layout.ConsumeQueue() + "/T/0"
	s.kill()
	base := s.fs.(*mappedtest.FS)
	for image, script := range mappedtest.EachPlace(base, 1, syscall.EIO) {
		s, err := tryOpen(t, script)
		call, _ := script.Failed()
		if err == nil {
			s.release()
			t.Errorf("%v: opened", call)
		} else if !strings.Contains(err.Error(), "is the directory the right one?") && !errors.Is(err, syscall.EIO) {
			t.Errorf("%v: %v", call, err)
		}
		if d := difference(tree(t, base, dir), tree(t, image, dir)); len(d) > 0 {
			t.Errorf("%v: changed %v", call, d)
		}
	}
	list, err := base.ReadDir(dir)
	s.must(err)
	overwrite(t, base, dir+"/"+list[len(list)-2].Name(), 100, make([]byte, 100))
	if s, err := tryOpen(t, base); err == nil || !strings.Contains(err.Error(), "is the directory the right one?") {
		s.release()
		t.Errorf("a damaged queue: %v", err)
	}
}
