package e2e_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
)

// A store whose log lies at a path of its own (storePathCommitLog) is found,
// looked at, opened and written as any other; nothing of the log comes to lie
// below the root.
func TestCommitLogElsewhere(t *testing.T) {
	for n, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root, log := golden.Open(t, name), filepath.Join(t.TempDir(), "log")
			must(t, os.Rename(filepath.Join(root, "commitlog"), log))
			settings := golden.SettingsOf(name)
			o := e2e.Options(root, settings)
			o.StorePathCommitLog = log
			found, err := actorstore.FoundOptionsAt(root, log)
			must(t, err)
			if found.StorePathCommitLog != log || found.MappedFileSizeCommitLog != golden.SegmentSize {
				t.Errorf("found %q, segments of %d", found.StorePathCommitLog, found.MappedFileSizeCommitLog)
			}
			before := golden.Expected(t, name)
			before.Queries = allQueries(t, before)
			before, had := e2e.WithoutCRC(before)
			model := e2e.NewModel(before)
			for range 2 {
				s := open(t, o)
				w := e2e.NewWriter(s, o, e2e.KindsOf(settings, uint64(n)), model.Reading())
				puts, err := w.Put(t.Context(), 100_000, 50)
				must(t, err)
				model.Add(puts)
				must(t, s.Dispatched(t.Context()))
				closeStore(t, s)
				sameBut(t, inspect(t, o, model.Reading()), model.Reading(), had, settings)
			}
			if _, err := os.Stat(filepath.Join(root, "commitlog")); !os.IsNotExist(err) {
				t.Errorf("the root has a log, too: %v", err)
			}
		})
	}
}
