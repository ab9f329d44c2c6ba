package interop_test

import (
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/interop"
)

// TestActorstoreWrites: what actorstore writes, closed or killed, RocketMQ
// reads; then RocketMQ puts more in place, and actorstore reads all of it,
// whatever its mark says of the log as it was; and once more each.
func TestActorstoreWrites(t *testing.T) {
	e := engine(t)
	for _, s := range interop.OurScenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "store")
			o := options(dir, s.Settings)
			model := e2e.NewModel(nil)
			model.Add(write(t, s, o))
			export(t, e, dir, s.Settings, model, after(s.Kill, partly))

			theirs, err := e.Write(t.Context(), dir, s.Settings, interop.Writing{
				From: 10_000, Count: s.Reopen, Seed: s.Seed, LongTopic: s.LongTopic, Halt: s.Halt})
			must(t, err)
			model.Add(putsOf(theirs))
			inspected(t, o, s.Settings, model, !s.Halt)
			store := opened(t, o, s.Settings, model)
			w := e2e.NewWriter(store, o, kinds(s.Scenario, s.Seed), model.Reading())
			ours, err := w.Put(t.Context(), 20_000, 60)
			must(t, err)
			model.Add(ours)
			must(t, store.Close(t.Context()))
			must(t, opened(t, o, s.Settings, model).Close(t.Context()))
			export(t, e, dir, s.Settings, model, after(s.Kill, doubled)) // by RocketMQ's start on what the kill left
		})
	}
}

// write writes the first part of a scenario.
func write(t *testing.T, s interop.OurScenario, o actorstore.Options) []e2e.Put {
	t.Helper()
	k := kinds(s.Scenario, s.Seed)
	if s.Kill {
		puts, err := e2e.Job{Root: o.StorePathRootDir, Settings: s.Settings.Settings, Sync: s.SyncFlush, Ext: s.ConsumeExt,
			Kinds: k, Count: s.Count, Window: 16}.Kill(0)
		must(t, err)
		return puts
	}
	store, err := actorstore.Open(t.Context(), o)
	must(t, err)
	w := e2e.NewWriter(store, o, k, nil)
	w.Window = 16
	puts, err := w.Put(t.Context(), 0, s.Count)
	must(t, err)
	must(t, store.Close(t.Context()))
	return puts
}
