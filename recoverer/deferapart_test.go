package recoverer_test

import (
	"testing"

	"github.com/actorstore/actorstore/recoverer"
)

// TestDeferredIndexBesideQueues: an index that is left to the caller is left by the
// part that would make it right beside the queues, too.
func TestDeferredIndexBesideQueues(t *testing.T) {
	defer recoverer.IndexApart()()
	s := open(t, newFS())
	s.puts("T", 40)
	s.kill()
	remove(t, s.fs, s.layout.Index())
	remove(t, s.fs, s.layout.Ours())
	remove(t, s.fs, s.layout.ConsumeQueue())
	for name, how := range map[string][]option{"after each other": nil, "at once": {parallel}, "index first": {indexFirst}} {
		defers := func(_ *store, in *recoverer.Input) { in.DeferIndex = 1 }
		d := open(t, cut(s.fs), append(how, defers)...)
		if d.report.IndexFrom != 0 || d.report.IndexErr != nil || d.read("T", 0) != line(0, 40) {
			t.Errorf("%s: index from %d, %v, read %s", name, d.report.IndexFrom, d.report.IndexErr, d.read("T", 0))
		}
		if hits := d.hits("T", "k1"); len(hits) != 0 {
			t.Errorf("%s: k1 is found at %v", name, hits)
		}
		d.kill()
		d = open(t, d.fs, how...)
		if d.report.IndexFrom != -1 || len(d.hits("T", "k1")) != 1 || len(d.hits("T", "k39")) != 1 {
			t.Errorf("%s: then index from %d, k1 %v", name, d.report.IndexFrom, d.hits("T", "k1"))
		}
		d.kill()
	}
}
