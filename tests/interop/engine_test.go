package interop_test

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"

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

// The Java program prints exactly the lines that the golden files have, so
// that a difference elsewhere is a difference of stores.
func TestExportOfGoldenStores(t *testing.T) {
	e := engine(t)
	for _, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			settings := interop.Settings{Settings: golden.SettingsOf(name)}
			got, err := e.Export(t.Context(), golden.Open(t, name), settings, golden.Expected(t, name))
			if err != nil {
				t.Fatal(err)
			}
			sameLines(t, got, golden.Lines(t, name))
		})
	}
}

// RocketMQ reads its own stores: what it read is what it put.
func TestRocketMQReadsRocketMQ(t *testing.T) {
	e := engine(t)
	for _, s := range interop.Scenarios() {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel() // a shutdown of the engine sleeps for three seconds
			dir := filepath.Join(t.TempDir(), "store")
			puts, err := e.Write(t.Context(), dir, s.Settings, s.Writing)
			if err != nil {
				t.Fatal(err)
			}
			if s.Reopen > 0 {
				more := interop.Writing{From: s.Count, Count: s.Reopen, Seed: s.Seed, Halt: s.Halt}
				rest, err := e.Write(t.Context(), dir, s.Settings, more)
				if err != nil {
					t.Fatal(err)
				}
				puts = append(puts, rest...)
			}
			if _, err := os.Stat(filepath.Join(dir, "abort")); (err == nil) != s.Halt {
				t.Errorf("abort file: %v, halted %v", err, s.Halt)
			}
			lines, err := e.Export(t.Context(), dir, s.Settings, nil)
			if err != nil {
				t.Fatal(err)
			}
			r, err := golden.Parse(lines)
			if err != nil {
				t.Fatal(err)
			}
			compare(t, r, puts)
		})
	}
}

var propCRC = regexp.MustCompile(`__CRC32#=[0-9]+;`)

// compare fails the test unless the queues hold exactly the queued puts, each
// as it was put: once, or once more for each queue it was dispatched to.
func compare(t *testing.T, r *golden.Reading, puts []interop.Put) {
	t.Helper()
	read := map[int64]golden.Message{}
	for _, q := range r.Queues {
		next := q.MinOffset
		for _, m := range q.Messages {
			m.Props = propCRC.ReplaceAllString(m.Props, "")
			if before, twice := read[m.Phy]; twice && before != m {
				t.Errorf("two readings of one record:\n%s\n%s", before.Line(), m.Line())
			}
			read[m.Phy] = m
			if q.Topic == m.Topic && m.Offset != next {
				t.Errorf("%s/%d at %d holds offset %d", q.Topic, q.Queue, next, m.Offset)
			}
			next += m.Span()
		}
	}
	queued := 0
	for _, p := range puts {
		got, found := read[p.Phy]
		if found != p.Queued {
			t.Fatalf("message %d.%d: read %v, want %v: %s", p.I, p.N, found, p.Queued, p.Line())
		}
		if !p.Queued {
			continue
		}
		queued++
		if got != p.Message {
			t.Fatalf("message %d.%d\n got %s\nwant %s", p.I, p.N, got.Line(), p.Line())
		}
	}
	if queued != len(read) {
		t.Errorf("%d records in queues, %d were put there", len(read), queued)
	}
	if last := puts[len(puts)-1]; r.Max != last.Phy+int64(last.Size) {
		t.Errorf("the log ends at %d, the last put at %d", r.Max, last.Phy+int64(last.Size))
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
