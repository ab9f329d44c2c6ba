package main

import (
	"strings"
	"testing"

	"github.com/actorstore/actorstore/tests/golden"
)

// exportLines are the golden lines up to the first query.
func exportLines(t *testing.T, name string) []string {
	lines := golden.Lines(t, name)
	for i, l := range lines {
		if strings.HasPrefix(l, `{"query":`) {
			return lines[:i]
		}
	}
	t.Fatalf("%s has no query", name)
	return nil
}

// recovered are the flags with which a golden store is read: those that have no
// queues need recovery.
func recovered(name string) []string {
	if strings.Contains(name, golden.Rebuilt) {
		return with(geometry, "--recover")
	}
	return nil
}

func TestExportIsGolden(t *testing.T) {
	for _, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			got := succeeds(t, with([]string{"export", "--json", golden.Open(t, name)}, recovered(name)...)...).lines()
			want := exportLines(t, name)
			for i := range want {
				if i >= len(got) || got[i] != want[i] {
					t.Fatalf("line %d of %d\n got %s\nwant %s", i+1, len(want), append(got, "")[min(i, len(got))], want[i])
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%d lines, want %d", len(got), len(want))
			}
		})
	}
}

func TestQueryIsGolden(t *testing.T) {
	for _, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			dir := golden.Open(t, name)
			flags := recovered(name)
			for i, q := range golden.Expected(t, name).Queries {
				if i > 20 {
					break
				}
				o := succeeds(t, with([]string{"query", "--json", dir, q.Topic, q.Key}, flags...)...)
				if got := o.lines()[0]; got != q.Line() {
					t.Errorf("got %s, want %s", got, q.Line())
				}
				flags = nil
			}
		})
	}
}

// A message looks the same whoever prints it.
func TestMessagesAreGolden(t *testing.T) {
	dir := golden.Open(t, golden.PropCRC)
	want := map[string]bool{}
	for _, l := range exportLines(t, golden.PropCRC) {
		want[l] = true
	}
	topic := golden.Expected(t, golden.PropCRC).Queues[3].Topic
	for _, args := range [][]string{
		{"get", "--json", "--body", "none", "-n", "-1", dir, topic},
		{"tail", "--json", "--body", "none", dir, topic},
		{"query", "--json", "--messages", "--body", "none", dir, "orders", "order-15"},
		{"lookup", "--json", "--body", "none", dir, "5504"},
	} {
		for _, l := range succeeds(t, args...).lines() {
			golden, id, _ := strings.Cut(l, `,"id":"`)
			if !want[golden+"}"] || !strings.HasPrefix(id, "7F00000100002A9F") {
				t.Errorf("%s: not a golden line and an id: %s", args[0], l)
			}
		}
	}
	dumped := 0
	for _, l := range succeeds(t, "dump", "--json", dir).lines() {
		if want["{"+strings.TrimPrefix(l, `{"kind":"record",`)] {
			dumped++
		}
	}
	messages := 0
	for _, q := range golden.Expected(t, golden.PropCRC).Queues {
		messages += len(q.Messages)
	}
	if dumped != messages {
		t.Errorf("dump shows %d messages of queues, want %d", dumped, messages)
	}
}

func TestVerifyGolden(t *testing.T) {
	for _, name := range golden.Names() {
		o := program(t, with([]string{"verify", "--json", golden.Open(t, name)}, recovered(name)...)...)
		if o.code != exitOK || !strings.HasPrefix(o.out, `{"findings":0,`) {
			t.Errorf("%s: exit code %d: %.500s%s", name, o.code, o.out, o.err)
		}
	}
}

func TestReadingTouchesNothing(t *testing.T) {
	for _, name := range []string{golden.Clean, golden.Halt, golden.MultiDispatch, golden.Rebuilt} {
		dir := golden.Open(t, name)
		before := footprint(t, dir)
		for _, args := range [][]string{
			{"export", dir}, {"export", "--json", dir}, {"stat", dir}, {"stat", "--json", dir},
			{"get", dir, "orders"}, {"get", dir, "orders", "0", "--time", "1h"}, {"tail", dir, "orders"},
			{"query", dir, "orders", "order-15"}, {"lookup", dir, "0"}, {"repair", dir}, {"dump", dir}, {"dump", "--ruler", dir, "-n", "20"},
			{"verify", dir}, {"__complete", "get", dir, ""},
		} {
			program(t, args...)
			if footprint(t, dir) != before {
				t.Fatalf("%s: %v has changed the store", name, args)
			}
		}
	}
}
