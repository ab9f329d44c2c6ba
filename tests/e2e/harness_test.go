package e2e_test

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/e2e"
	"github.com/actorstore/actorstore/tests/golden"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens a store that is closed with the test at the latest.
func open(t testing.TB, o actorstore.Options) *actorstore.Store {
	t.Helper()
	s, err := actorstore.Open(t.Context(), o)
	must(t, err)
	must(t, s.Dispatched(t.Context())) // the index may still be on its way
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		s.Close(ctx) // a second time mostly
	})
	return s
}

func closeStore(t testing.TB, s *actorstore.Store) {
	t.Helper()
	must(t, s.Close(t.Context()))
}

// readStore reads everything from an open store.
func readStore(t testing.TB, s *actorstore.Store, o actorstore.Options, ask *golden.Reading) *golden.Reading {
	t.Helper()
	state, err := s.State()
	must(t, err)
	r, err := e2e.Read(t.Context(), s, o, state.Watermarks.Min, state.Watermarks.Appended, ask)
	must(t, err)
	return r
}

func readInspection(t testing.TB, i *actorstore.Inspection, o actorstore.Options, ask *golden.Reading) *golden.Reading {
	t.Helper()
	lo, hi := i.Bounds()
	r, err := e2e.Read(t.Context(), i, o, lo, hi, ask)
	must(t, err)
	return r
}

// inspect reads everything from a store that is only looked at.
func inspect(t testing.TB, o actorstore.Options, ask *golden.Reading) *golden.Reading {
	t.Helper()
	i, err := actorstore.Inspect(t.Context(), o)
	must(t, err)
	defer func() { must(t, i.Close()) }()
	return readInspection(t, i, o, ask)
}

// same compares readings line by line.
func same(t testing.TB, got *golden.Reading, want []string) {
	t.Helper()
	lines := got.Lines()
	for i := range min(len(lines), len(want)) {
		if lines[i] != want[i] {
			t.Fatalf("line %d\n got %s\nwant %s", i+1, lines[i], want[i])
		}
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines, want %d", len(lines), len(want))
	}
}

// sameBut compares with a model, which knows no checksums of records; had is
// how many messages had one before the first put.
func sameBut(t testing.TB, got, want *golden.Reading, had int, s golden.Settings) {
	t.Helper()
	plain, has := e2e.WithoutCRC(got)
	same(t, plain, want.Lines())
	all := 0
	for _, q := range want.Queues {
		all += len(q.Messages)
	}
	if s.AppendCRC && has != all || !s.AppendCRC && has != had {
		t.Errorf("%d of %d messages have a checksum, %d had one before", has, all, had)
	}
}

func tree(t testing.TB, dir string) string {
	t.Helper()
	list, err := e2e.Tree(dir)
	must(t, err)
	return list
}

// sameTree fails the test if anything below dir is not as it was.
func sameTree(t testing.TB, dir, before string) {
	t.Helper()
	after := tree(t, dir)
	if after == before {
		return
	}
	was := make(map[string]bool)
	for line := range strings.Lines(before) {
		was[line] = true
	}
	for line := range strings.Lines(after) {
		if !was[line] {
			t.Errorf("now:    %s", line)
		}
		delete(was, line)
	}
	for _, line := range slices.Sorted(maps.Keys(was)) {
		t.Errorf("before: %s", line)
	}
}

// allQueries are the key queries that the messages of a reading answer.
func allQueries(t testing.TB, r *golden.Reading) []golden.Query {
	t.Helper()
	queries := slices.Clone(r.Queries)
	known := make(map[string]bool)
	for _, q := range queries {
		known[q.Topic+"/"+q.Key] = true
	}
	found := make(map[string]*golden.Query)
	for _, queue := range r.Queues {
		for _, m := range queue.Messages {
			for _, key := range keys(m.Props) {
				name := m.Topic + "/" + key
				if known[name] {
					continue
				}
				q := found[name]
				if q == nil {
					q = &golden.Query{Topic: m.Topic, Key: key}
					found[name] = q
				}
				if !slices.Contains(q.Offsets, m.Phy) {
					q.Offsets = append(q.Offsets, m.Phy)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		slices.Sort(found[name].Offsets)
		queries = append(queries, *found[name])
	}
	return queries
}

// keys are the index keys among a message's properties as the readings print
// them.
func keys(props string) []string {
	var list []string
	for p := range strings.SplitSeq(props, ";") {
		if v, ok := strings.CutPrefix(p, "KEYS="); ok {
			list = append(list, strings.Fields(v)...)
		}
		if v, ok := strings.CutPrefix(p, "UNIQ_KEY="); ok {
			list = append(list, v)
		}
	}
	return list
}
