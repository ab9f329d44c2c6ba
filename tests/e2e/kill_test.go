package e2e_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
)

// TestMain lets the test binary be a program that puts until it is killed.
func TestMain(m *testing.M) {
	e2e.RunChild()
	os.Exit(m.Run())
}

func killSettings() golden.Settings {
	s := golden.SettingsOf(golden.PropCRC)
	s.LMQ = true
	return s
}

// TestKill kills a process in the middle of its puts, with kill -9. What was
// answered is there after it, under both flush types; behind it may stand only
// what was put and not yet answered.
func TestKill(t *testing.T) {
	for _, sync := range []bool{false, true} {
		for _, answered := range []int{1, 40, 500, 2000} {
			if sync && answered > 500 {
				continue
			}
			t.Run(fmt.Sprintf("sync=%v,%d", sync, answered), func(t *testing.T) {
				j := e2e.Job{Root: filepath.Join(t.TempDir(), "store"), Settings: killSettings(), Sync: sync,
					Kinds: e2e.KindsOf(killSettings(), 7), Window: 8}
				puts, err := j.Kill(answered)
				must(t, err)
				afterKill(t, j.Options(), puts)
			})
		}
	}
}

// afterKill opens what a kill has left.
func afterKill(t *testing.T, o actorstore.Options, puts []e2e.Put) {
	t.Helper()
	model := e2e.NewModel(nil)
	model.Add(puts)
	before := tree(t, o.StorePathRootDir)
	i, err := actorstore.Inspect(t.Context(), o)
	must(t, err)
	if i.Clean() || i.Locked() {
		t.Errorf("clean %v, locked %v", i.Clean(), i.Locked())
	}
	must(t, i.Close())
	sameTree(t, o.StorePathRootDir, before)

	cut := int64(0) // a record that the kill has met half written is kept aside, which is no damage
	o.Events.Opened = func(e actorstore.OpenedEvent) { cut = e.Cut }
	s := open(t, o)
	r := readStore(t, s, o, nil)
	holds(t, r, model.Reading())
	state, err := s.State()
	must(t, err)
	if state.Damaged != 0 || state.ReadOnly != nil {
		t.Errorf("damaged %d, %d bytes cut, read-only %v", state.Damaged, cut, state.ReadOnly)
	}
	// It goes on as if nothing had happened.
	before2, _ := e2e.WithoutCRC(r)
	before2.Queries = allQueries(t, before2)
	model = e2e.NewModel(before2)
	w := e2e.NewWriter(s, o, e2e.KindsOf(killSettings(), 8), before2)
	more, err := w.Put(t.Context(), 1_000_000, 100)
	must(t, err)
	model.Add(more)
	must(t, s.Dispatched(t.Context()))
	want := model.Reading()
	sameBut(t, readStore(t, s, o, want), want, 0, killSettings())
	closeStore(t, s)
	sameBut(t, inspect(t, o, want), want, 0, killSettings())
}

// holds fails the test unless a reading has all messages of another one in
// front; more may follow them.
func holds(t *testing.T, got, want *golden.Reading) {
	t.Helper()
	plain, _ := e2e.WithoutCRC(got)
	queues := make(map[string]golden.Queue)
	for _, q := range plain.Queues {
		queues[q.Topic+"-"+strconv.Itoa(int(q.Queue))] = q
	}
	for _, w := range want.Queues {
		name := w.Topic + "-" + strconv.Itoa(int(w.Queue))
		g := queues[name]
		if g.MinOffset != w.MinOffset || len(g.Messages) < len(w.Messages) {
			t.Fatalf("%s: %d messages from %d, want %d from %d", name, len(g.Messages), g.MinOffset, len(w.Messages), w.MinOffset)
		}
		for i := range w.Messages {
			if g.Messages[i] != w.Messages[i] {
				t.Fatalf("%s\n got %s\nwant %s", name, g.Messages[i].Line(), w.Messages[i].Line())
			}
		}
	}
}

// TestCopyWhileOpen: what stands on disk while a store is open, dispatched and
// flushed, is the same store.
func TestCopyWhileOpen(t *testing.T) {
	for _, name := range []string{"", golden.Clean, golden.Halt, golden.TrimmedRebuilt, golden.PropCRC} {
		for _, sync := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s,sync=%v", name, sync), func(t *testing.T) {
				t.Parallel()
				dir, settings, model := filepath.Join(t.TempDir(), "store"), killSettings(), e2e.NewModel(nil)
				had := 0
				if name != "" {
					dir, settings = golden.Open(t, name), golden.SettingsOf(name)
					var before *golden.Reading
					before, had = e2e.WithoutCRC(golden.Expected(t, name))
					before.Queries = allQueries(t, before)
					model = e2e.NewModel(before)
				}
				o := e2e.Options(dir, settings)
				if sync {
					o.FlushDiskType = actorstore.SyncFlush
				}
				s := open(t, o)
				w := e2e.NewWriter(s, o, e2e.KindsOf(settings, 3), model.Reading())
				w.Window = 16
				puts, err := w.Put(t.Context(), 500_000, 300)
				must(t, err)
				model.Add(puts)
				must(t, s.Dispatched(t.Context()))
				must(t, s.Flush(t.Context()))
				want := model.Reading()
				sameBut(t, readStore(t, s, o, want), want, had, settings)

				o.StorePathRootDir = filepath.Join(t.TempDir(), "copy")
				must(t, e2e.CopyInUse(dir, o.StorePathRootDir))
				sameBut(t, inspect(t, o, want), want, had, settings)
				left := open(t, o)
				sameBut(t, readStore(t, left, o, want), want, had, settings)
				closeStore(t, left)
				sameBut(t, inspect(t, o, want), want, had, settings)
			})
		}
	}
}
