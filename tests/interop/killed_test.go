package interop_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
	"github.com/actorstore/actorstore/tests/interop"
)

// TestKilledWhilePutting: of a process that was killed while puts were under
// way both engines find the same messages, all that were answered among them.
func TestKilledWhilePutting(t *testing.T) {
	e := engine(t)
	for _, sync := range []bool{false, true} {
		t.Run(fmt.Sprintf("sync=%v", sync), func(t *testing.T) {
			t.Parallel()
			s := interop.Settings{Settings: golden.SettingsOf(golden.PropCRC), SyncFlush: sync}
			dir := filepath.Join(t.TempDir(), "store")
			puts, err := e2e.Job{Root: dir, Settings: s.Settings, Sync: sync, Kinds: e2e.Kinds{Seed: 99}, Window: 32}.Kill(400)
			must(t, err)
			o := options(filepath.Join(t.TempDir(), "ours"), s)
			must(t, e2e.Copy(dir, o.StorePathRootDir))
			store, err := actorstore.Open(t.Context(), o)
			must(t, err)
			defer store.Close(t.Context())
			state, err := store.State()
			must(t, err)
			ours, err := e2e.Read(t.Context(), store, o, state.Watermarks.Min, state.Watermarks.Appended, nil)
			must(t, err)
			ours, _ = e2e.WithoutCRC(ours)
			holdsAll(t, ours, puts)
			export(t, e, dir, s, e2e.NewModel(ours), whole) // asks no keys
		})
	}
}

// holdsAll fails the test unless a reading has every message that was put.
func holdsAll(t *testing.T, r *golden.Reading, puts []e2e.Put) {
	t.Helper()
	read := make(map[int64]golden.Message)
	for _, q := range r.Queues {
		for _, m := range q.Messages {
			read[m.Phy] = m
		}
	}
	for _, p := range puts {
		if p.Queued && read[p.Phy] != p.Message {
			m := read[p.Phy]
			t.Fatalf("answered:\n%s\nfound:\n%s", p.Line(), m.Line())
		}
	}
}
