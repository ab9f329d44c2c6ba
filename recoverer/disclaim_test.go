package recoverer_test

import (
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
	"github.com/actorstore/actorstore/recoverer"
)

// TestIndexRebuiltIsNotBelievedEarly: the checkpoint page says up to what time full
// index files are on disk. If those are gone it must not vouch for the ones that
// take their place: a power cut while they are built leaves them half written, and
// what they lack would be found never again.
func TestIndexRebuiltIsNotBelievedEarly(t *testing.T) {
	const n = 2500
	s := open(t, newFS(), largeIndexFiles)
	for i := range n {
		s.put(message("T", 0, i, 10))
	}
	s.close()
	remove(t, s.fs, s.layout.Index())
	base := s.fs.(*mappedtest.FS)
	for name, force := range map[string]func() func(){"in one pass": func() func() { return func() {} }, "at once": recoverer.IndexApart} {
		undo := force()
		var images []*mappedtest.FS
		fsys := base.Kill()
		open(t, mappedtest.NewScript(fsys, mappedtest.Rule{Op: mappedtest.OpAllocate, At: 2, Before: func() { // the first file is full
			for seed := range uint64(40) {
				images = append(images, fsys.Crash(seed, mappedtest.Random))
			}
		}}), largeIndexFiles).kill()
		if len(images) == 0 {
			t.Fatal("there was no second index file")
		}
		for seed, image := range images {
			s := open(t, image, largeIndexFiles)
			lost := 0
			for i := range n {
				if len(s.hits("T", fmt.Sprint("k", i))) != 1 {
					lost++
				}
			}
			if lost > 0 {
				t.Errorf("%s, seed %d: %d of %d keys are not found", name, seed, lost, n)
			}
			s.kill()
		}
		undo()
	}
}
