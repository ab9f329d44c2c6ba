package e2e_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
)

// derivedGone reports whether a store has nothing but its log.
func derivedGone(name string) bool { return strings.Contains(name, golden.Rebuilt) }

// TestInspectGolden: what RocketMQ read is what is read, and nothing is touched.
func TestInspectGolden(t *testing.T) {
	for _, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := golden.Open(t, name)
			o := e2e.Options(dir, golden.SettingsOf(name))
			before := tree(t, dir)
			i, err := actorstore.Inspect(t.Context(), o)
			must(t, err)
			if i.Locked() || i.Clean() != (name != golden.Halt && !derivedGone(name)) {
				t.Errorf("locked %v, clean %v", i.Locked(), i.Clean())
			}
			want := golden.Expected(t, name)
			if lo, hi := i.Bounds(); lo != want.Min || hi != want.Max {
				t.Errorf("bounds %d %d, want %d %d", lo, hi, want.Min, want.Max)
			}
			if !derivedGone(name) { // there are no queues to look at
				same(t, readInspection(t, i, o, want), golden.Lines(t, name))
			}
			must(t, i.Verify(t.Context(), func(f actorstore.Finding) {
				if !derivedGone(name) {
					t.Errorf("finding: %+v", f)
				}
			}))
			must(t, i.Close())
			sameTree(t, dir, before)
		})
	}
}

// TestOpenGolden: opened, closed, inspected and opened again a store reads as
// RocketMQ reads it.
func TestOpenGolden(t *testing.T) {
	for _, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := golden.Open(t, name)
			o := e2e.Options(dir, golden.SettingsOf(name))
			want, lines := golden.Expected(t, name), golden.Lines(t, name)
			for range 2 {
				s := open(t, o)
				same(t, readStore(t, s, o, want), lines)
				closeStore(t, s)
				same(t, inspect(t, o, want), lines)
			}
		})
	}
}

// TestFoundOptions: a store can be opened without knowing how it was made.
func TestFoundOptions(t *testing.T) {
	for _, name := range golden.Names() {
		dir := golden.Open(t, name)
		o, err := actorstore.FoundOptions(dir)
		must(t, err)
		if o.StorePathRootDir != dir || o.MappedFileSizeCommitLog != golden.SegmentSize {
			t.Errorf("%s: %s, segments of %d", name, o.StorePathRootDir, o.MappedFileSizeCommitLog)
		}
		if !derivedGone(name) {
			if o.MaxHashSlotNum != golden.MaxHashSlotNum || o.MaxIndexNum != golden.MaxIndexNum {
				t.Errorf("%s: an index of %d slots and %d entries", name, o.MaxHashSlotNum, o.MaxIndexNum)
			}
			want := golden.Expected(t, name)
			same(t, inspect(t, o, want), want.Lines())
		}
	}
}

// TestQueryOfACutIndex: an index with a file that was cut says that it may lack
// messages, instead of that there are none.
func TestQueryOfACutIndex(t *testing.T) {
	dir := golden.Open(t, golden.Names()[0])
	o, err := actorstore.FoundOptions(dir)
	must(t, err)
	incomplete := func() bool {
		i, err := actorstore.Inspect(t.Context(), o)
		must(t, err)
		defer func() { must(t, i.Close()) }()
		found, err := i.Query(t.Context(), actorstore.QueryRequest{Topic: "any", Key: "none"})
		must(t, err)
		return found.Incomplete
	}
	if incomplete() {
		t.Error("a whole index is said to lack messages")
	}
	files, err := filepath.Glob(filepath.Join(dir, "index", "*"))
	must(t, err)
	must(t, os.Truncate(files[0], 100))
	if !incomplete() {
		t.Error("a cut index is said to be whole")
	}
}

// TestPutIntoGolden puts messages of every kind into a copy of each store: what
// was there stays as it was, what was put is there, before and after a restart.
func TestPutIntoGolden(t *testing.T) {
	for n, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := golden.SettingsOf(name)
			o := e2e.Options(golden.Open(t, name), settings)
			before := golden.Expected(t, name)
			before.Queries = allQueries(t, before) // those of new keys must find old messages, too
			before, had := e2e.WithoutCRC(before)
			model := e2e.NewModel(before)
			for round := range 2 {
				s := open(t, o)
				w := e2e.NewWriter(s, o, e2e.KindsOf(settings, uint64(n)), model.Reading())
				w.Window = 1 + 15*round
				puts, err := w.Put(t.Context(), 100_000+200*round, 200)
				must(t, err)
				model.Add(puts)
				must(t, s.Dispatched(t.Context()))
				want := model.Reading()
				sameBut(t, readStore(t, s, o, want), want, had, settings)
				closeStore(t, s)
			}
			want := model.Reading()
			sameBut(t, inspect(t, o, want), want, had, settings)
			s := open(t, o)
			sameBut(t, readStore(t, s, o, want), want, had, settings)
			closeStore(t, s)
		})
	}
}
