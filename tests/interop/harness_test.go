package interop_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
	"github.com/actorstore/actorstore/tests/interop"
)

// engine returns RocketMQ, for tests whose runs are short.
func engine(t *testing.T) *interop.Engine {
	t.Helper()
	if os.Getenv(interop.Enabled) != "1" {
		t.Skipf("needs a JDK and Maven: runs with %s=1, as in `make interop`", interop.Enabled)
	}
	e, err := interop.NewEngine()
	if err != nil {
		t.Fatal(err)
	}
	e.JVM = []string{"-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Drmq.log.level=WARN"}
	return e
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// options are actorstore's for the settings that RocketMQ opens a store with.
func options(dir string, s interop.Settings) actorstore.Options {
	return e2e.Job{Root: dir, Settings: s.Settings, Sync: s.SyncFlush, Ext: s.ConsumeExt}.Options()
}

// putsOf are RocketMQ's puts in the form of ours.
func putsOf(theirs []interop.Put) []e2e.Put {
	const rollback = 12
	puts := make([]e2e.Put, len(theirs))
	for i, p := range theirs {
		puts[i] = e2e.Put{Message: p.Message, Queued: p.Queued}
		if p.SysFlag&rollback != rollback {
			puts[i].Keys = slices.Concat(list(p.Props, "UNIQ_KEY", "\x00"), list(p.Props, "KEYS", " "))
		}
		names, offsets := list(p.Props, "INNER_MULTI_DISPATCH", ","), list(p.Props, "INNER_MULTI_QUEUE_OFFSET", ",")
		for n := range offsets {
			puts[i].Lights = append(puts[i].Lights, e2e.Light{Topic: names[n], Offset: number(offsets[n])})
		}
	}
	return puts
}

// list is the value of a property, cut into its parts; nil if it is not there.
func list(props, name, separator string) []string {
	for p := range strings.SplitSeq(props, ";") {
		if value, ok := strings.CutPrefix(p, name+"="); ok {
			return strings.Split(value, separator)
		}
	}
	return nil
}

func number(s string) (n int64) {
	for _, c := range s {
		n = 10*n + int64(c-'0')
	}
	return n
}

// index is what RocketMQ has made of the index.
type index int

const (
	whole   index = iota
	doubled       // after an unclean start the record at the edge may stand in it twice
	partly        // and files were dropped, of which it made the last part again
)

// export lets RocketMQ read a copy of a store and answer the questions of a
// model, and compares.
func export(t *testing.T, e *interop.Engine, dir string, s interop.Settings, model *e2e.Model, state index) {
	t.Helper()
	left := filepath.Join(t.TempDir(), "copy")
	must(t, e2e.Copy(dir, left))
	want := model.Reading()
	want.Times = slices.DeleteFunc(want.Times, func(q golden.Time) bool {
		// RocketMQ's batch queues answer any of several equal times, and 0 for an
		// upper bound that no message has.
		return q.Topic == s.BatchTopic
	})
	lines, err := e.Export(t.Context(), left, s, want)
	must(t, err)
	must(t, os.RemoveAll(left))
	got, err := golden.Parse(lines)
	must(t, err)
	if state != whole {
		for i := range got.Queries {
			got.Queries[i].Offsets = slices.Compact(got.Queries[i].Offsets)
		}
	}
	if state == partly {
		queriesWithin(t, got, want)
	}
	compare(t, got, want, s.Settings, 0)
}

// queriesWithin accepts answers of an index that RocketMQ has made only partly
// again. What is found must match, at least one must be, and what was checked is
// taken for the answer.
func queriesWithin(t *testing.T, got, want *golden.Reading) {
	t.Helper()
	found := 0
	for i := range got.Queries {
		g, w := &got.Queries[i], &want.Queries[i]
		for _, phy := range g.Offsets {
			if !slices.Contains(w.Offsets, phy) {
				t.Fatalf("query %s/%s gave %d, want %v", g.Topic, g.Key, phy, w.Offsets)
			}
			found++
		}
		g.Offsets = w.Offsets
	}
	if found == 0 && len(want.Queries) > 0 {
		t.Error("no query found anything")
	}
}

// compare compares a reading with a model's; had is how many messages carried
// a checksum in spite of the settings.
func compare(t *testing.T, got, want *golden.Reading, s golden.Settings, had int) {
	t.Helper()
	plain, has := e2e.WithoutCRC(got)
	sameLines(t, plain.Lines(), want.Lines())
	all := 0
	for _, q := range want.Queues {
		all += len(q.Messages)
	}
	if s.AppendCRC && has != all || !s.AppendCRC && has != had {
		t.Errorf("%d of %d messages carry a checksum", has, all)
	}
}

func sameLines(t *testing.T, got, want []string) {
	t.Helper()
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Fatalf("line %d\n got %s\nwant %s", i+1, got[i], want[i])
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d lines, want %d", len(got), len(want))
	}
}

// opened opens a store with actorstore and compares what it reads.
func opened(t *testing.T, o actorstore.Options, s interop.Settings, model *e2e.Model) *actorstore.Store {
	t.Helper()
	store, err := actorstore.Open(t.Context(), o)
	must(t, err)
	t.Cleanup(func() { store.Close(t.Context()) })
	must(t, store.Dispatched(t.Context())) // the index may follow behind the open store
	want := model.Reading()
	state, err := store.State()
	must(t, err)
	got, err := e2e.Read(t.Context(), store, o, state.Watermarks.Min, state.Watermarks.Appended, want)
	must(t, err)
	compare(t, got, want, s.Settings, 0)
	if state.Damaged != 0 || state.ReadOnly != nil {
		t.Errorf("damaged %d, read-only: %v", state.Damaged, state.ReadOnly)
	}
	return store
}

// inspected compares what actorstore finds without opening.
func inspected(t *testing.T, o actorstore.Options, s interop.Settings, model *e2e.Model, clean bool) {
	t.Helper()
	i, err := actorstore.Inspect(t.Context(), o)
	must(t, err)
	defer func() { must(t, i.Close()) }()
	if i.Clean() != clean || i.Locked() {
		t.Errorf("clean %v, locked %v", i.Clean(), i.Locked())
	}
	lo, hi := i.Bounds()
	if !clean { // the queues may lag behind the log
		if lo != model.Min || hi != model.Max {
			t.Errorf("log from %d to %d, want %d to %d", lo, hi, model.Min, model.Max)
		}
		return
	}
	want := model.Reading()
	got, err := e2e.Read(t.Context(), i, o, lo, hi, want)
	must(t, err)
	compare(t, got, want, s.Settings, 0)
}

// after is the state of the index after RocketMQ was halted, or not.
func after(halted bool, state index) index {
	if halted {
		return state
	}
	return whole
}
