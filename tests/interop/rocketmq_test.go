package interop_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
	"github.com/actorstore/actorstore/tests/interop"
)

// The Java program prints exactly the lines that the golden files have, so
// that a difference elsewhere is a difference of stores.
func TestExportOfGoldenStores(t *testing.T) {
	e := engine(t)
	for _, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := interop.Settings{Settings: golden.SettingsOf(name)}
			got, err := e.Export(t.Context(), golden.Open(t, name), settings, golden.Expected(t, name))
			must(t, err)
			sameLines(t, got, golden.Lines(t, name))
		})
	}
}

// TestRocketMQWrites: what RocketMQ writes, RocketMQ reads (which proves the
// Java program) and actorstore reads; then actorstore puts more, and RocketMQ
// reads all of it.
func TestRocketMQWrites(t *testing.T) {
	e := engine(t)
	for _, s := range interop.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel() // a shutdown of the engine sleeps for three seconds
			dir := filepath.Join(t.TempDir(), "store")
			model := e2e.NewModel(nil)
			puts, err := e.Write(t.Context(), dir, s.Settings, s.Writing)
			must(t, err)
			model.Add(putsOf(puts))
			if s.Reopen > 0 {
				more := interop.Writing{From: s.Count, Count: s.Reopen, Seed: s.Seed, Halt: s.Halt}
				rest, err := e.Write(t.Context(), dir, s.Settings, more)
				must(t, err)
				model.Add(putsOf(rest))
			}
			if _, err := os.Stat(filepath.Join(dir, "abort")); (err == nil) != s.Halt {
				t.Errorf("abort file: %v, halted %v", err, s.Halt)
			}
			export(t, e, dir, s.Settings, model, after(s.Halt, partly))

			o := options(dir, s.Settings)
			inspected(t, o, s.Settings, model, !s.Halt)
			store := opened(t, o, s.Settings, model)
			w := e2e.NewWriter(store, o, kinds(s, s.Seed), model.Reading())
			w.Window = 16
			ours, err := w.Put(t.Context(), 10_000, 150)
			must(t, err)
			model.Add(ours)
			must(t, store.Close(t.Context()))
			inspected(t, o, s.Settings, model, true)
			export(t, e, dir, s.Settings, model, after(s.Halt && s.Reopen > 0, doubled))
		})
	}
}

// kinds are those of actorstore's messages in a scenario.
func kinds(s interop.Scenario, seed int64) e2e.Kinds {
	return e2e.Kinds{Seed: uint64(seed), LongTopic: s.LongTopic, LMQ: s.LMQ, BatchTopic: s.BatchTopic}
}
