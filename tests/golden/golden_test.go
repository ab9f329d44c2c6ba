package golden_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/tests/golden"
)

func TestReadingsRoundTrip(t *testing.T) {
	for _, name := range golden.Names() {
		t.Run(name, func(t *testing.T) {
			want := golden.Lines(t, name)
			got := golden.Expected(t, name).Lines()
			if len(got) != len(want) {
				t.Fatalf("%d lines, want %d", len(got), len(want))
			}
			for i := range want {
				if got[i] != want[i] {
					t.Fatalf("line %d\n got %s\nwant %s", i+1, got[i], want[i])
				}
			}
		})
	}
}

func TestReadingsHoldEveryPart(t *testing.T) {
	for _, name := range golden.Names() {
		r := golden.Expected(t, name)
		if len(r.Queues) < 10 || len(r.Queries) < 5 || len(r.Times) < 10 || r.Max <= r.Min {
			t.Errorf("%s: %d queues, %d queries, %d times, log %d to %d",
				name, len(r.Queues), len(r.Queries), len(r.Times), r.Min, r.Max)
		}
	}
	halt := golden.Expected(t, golden.Halt)
	m := halt.Queues[0].Messages[0]
	if m.Topic != "SCHEDULE_TOPIC_XXXX" || m.Queue != 2 || m.Len != 50 || m.BornHost != "/127.0.0.1:5555" ||
		!strings.Contains(m.Props, "REAL_TOPIC=orders;") || m.Phy == 0 || m.Stored == 0 {
		t.Errorf("first message of the first queue of halt: %+v", m)
	}
}

func TestOpenKeepsNamesAndSizes(t *testing.T) {
	for _, name := range golden.Names() {
		dir := golden.Open(t, name)
		if filepath.Base(dir) != name {
			t.Errorf("%s unpacked to %s", name, dir)
		}
		_, err := os.Stat(filepath.Join(dir, "abort"))
		stopped := os.IsNotExist(err)
		killed := name == golden.Halt || strings.Contains(name, golden.Rebuilt)
		if stopped == killed {
			t.Errorf("%s: abort file: %v", name, err)
		}
		segments := files(t, filepath.Join(dir, "commitlog"), golden.SegmentSize)
		if len(segments) == 0 || (strings.HasPrefix(name, golden.Trimmed) != (segments[0] == "00000000000000196608")) {
			t.Errorf("%s: segments %v", name, segments)
		}
		if !strings.Contains(name, golden.Rebuilt) {
			files(t, filepath.Join(dir, "consumequeue", "orders", "0"), golden.QueueFileSize)
			files(t, filepath.Join(dir, "index"), 40+4*golden.MaxHashSlotNum+20*golden.MaxIndexNum)
		}
	}
}

func TestOpenGivesSeparateCopies(t *testing.T) {
	a, b := golden.Open(t, golden.V2), golden.Open(t, golden.V2)
	if err := os.RemoveAll(filepath.Join(a, "commitlog")); err != nil {
		t.Fatal(err)
	}
	files(t, filepath.Join(b, "commitlog"), golden.SegmentSize)
}

func TestParseRefuses(t *testing.T) {
	const head = `{"min":0,"max":1}`
	for _, lines := range [][]string{
		{`{"topic":"a","queue":0,"offset":0,"phy":0}`},
		{head, head},
		{head, `{}`},
		{head, `not JSON`},
		{head, `{"query":"no slash","offsets":""}`},
		{head, `{"query":"a/b","offsets":"x"}`},
		{head, `{"topic":"a","queue":0,"minOffset":0,"maxOffset":1}`},
	} {
		if _, err := golden.Parse(lines); err == nil {
			t.Errorf("no error for %q", lines)
		}
	}
}

// files returns the names in a directory, sorted, after checking each size.
func files(t *testing.T, dir string, size int64) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		if info.Size() != size {
			t.Errorf("%s: %d bytes, want %d", filepath.Join(dir, e.Name()), info.Size(), size)
		}
		names = append(names, e.Name())
	}
	return names
}
