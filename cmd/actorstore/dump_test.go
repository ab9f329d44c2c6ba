package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/tests/golden"
)

// The first record of a golden store, field by field.
func TestRuler(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	var first struct{ Stored int64 }
	if err := json.Unmarshal([]byte(succeeds(t, "lookup", dir, "2731", "--json").out), &first); err != nil {
		t.Fatal(err)
	}
	stored := first.Stored
	o := succeeds(t, "dump", dir, "--from", "2731", "-n", "1", "--ruler")
	want := []string{
		"2731  record of 116 bytes  empty-body/0 @ 0",
		"  |0       |4       |8       |12      |16      |20              |28              |36      |40",
		"  |size    |magic   |bodyCRC |queueId |flag    |queueOffset     |physicalOffset  |sysFlag |bornTimestamp",
		"  |00000074|daa320a7|",
		"  |116     |v1      |",
		"  |48              |56                     |64              |72            |76                       |84",
		"  |bornHost        |storeTimestamp         |storeHost       |reconsumeTimes|preparedTransactionOffset|bodyLength",
		"  |7f000001000015b3|",
		"  |127.0.0.1:5555  |" + timeText(stored) + "|", // local time, as everywhere
	}
	for i, l := range o.lines()[:len(want)] {
		if !strings.HasPrefix(l, want[i]) {
			t.Errorf("line %d\n got %s\nwant %s", i, l, want[i])
		}
	}
	if !strings.Contains(o.out, "|topic               |propertiesLength|") || !strings.Contains(o.out, "|empty-body          |15 ") {
		t.Errorf("the topic is missing:\n%s", o.out)
	}
}

func TestDumpRanges(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	segment := succeeds(t, "dump", "--json", dir, "00000000000000065536").lines()
	if !strings.Contains(segment[0], `"phy":65536,`) || !strings.HasPrefix(segment[len(segment)-1], `{"kind":"blank","phy":13`) {
		t.Errorf("first %s, last %s", segment[0], segment[len(segment)-1])
	}
	if again := succeeds(t, "dump", "--json", dir, "70000").lines(); len(again) != len(segment) {
		t.Errorf("by an offset inside: %d entries, want %d", len(again), len(segment))
	}
	// A record that --to cuts is shown whole, not as damage.
	if o := succeeds(t, "dump", "--json", dir, "--from", "2731", "--to", "2850"); len(o.lines()) != 2 || strings.Contains(o.out, "damage") {
		t.Errorf("got %s", o.out)
	}
	if o := succeeds(t, "dump", dir); !strings.Contains(o.out, "prepared") || !strings.Contains(o.out, "rollback") {
		t.Error("halves of transactions are not shown")
	}
}

func TestDamageIsShown(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	path := filepath.Join(dir, "commitlog", "00000000000000065536")
	damage(t, path, 3000, 3)
	verify := program(t, "verify", "--json", dir)
	if verify.code != exitFailed || len(verify.lines()) != 2 ||
		!strings.HasPrefix(verify.lines()[0], `{"finding":"commitlog","path":"`+path+`","offset":68438,"end":68593,"want":"bodyCRC `) ||
		!strings.HasPrefix(verify.lines()[1], `{"findings":1,`) {
		t.Errorf("verify: exit code %d: %s", verify.code, verify.out)
	}
	dump := program(t, "dump", "--json", dir)
	if dump.code != exitFailed || strings.Count(dump.out, `{"kind":"damage","phy":68438,"size":155,"want":"bodyCRC `) != 1 {
		t.Errorf("dump: exit code %d", dump.code)
	}
	if o := program(t, "dump", "--ruler", dir, "--from", "68438", "-n", "1"); !strings.Contains(o.out, "DAMAGE of 155 bytes") || !strings.Contains(o.out, "|body, 40 bytes") {
		t.Errorf("ruler: %s", o.out)
	}
	want := exportLines(t, golden.Clean)
	got := program(t, "export", "--json", dir)
	if got.code != exitFailed || len(got.lines()) != len(want)-1 {
		t.Errorf("export: exit code %d, %d lines, want one less than %d", got.code, len(got.lines()), len(want))
	}
}

// The bytes of a damaged place were looked for in DIR/commitlog, wherever the log
// was.
func TestRulerOfDamageElsewhere(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	log := filepath.Join(t.TempDir(), "log")
	if err := os.Rename(filepath.Join(dir, "commitlog"), log); err != nil {
		t.Fatal(err)
	}
	damage(t, filepath.Join(log, "00000000000000065536"), 3000, 3)
	o := program(t, "dump", "--ruler", dir, "--commitlog", log, "--from", "68438", "-n", "1")
	if !strings.Contains(o.out, "|body, 40 bytes") || strings.Contains(o.err, "no such file") {
		t.Errorf("%s%s", o.out, o.err)
	}
}

// Of a segment that is gone every message was told on a line of its own, without
// its file; and the finding named the next segment.
func TestSegmentThatIsGone(t *testing.T) {
	dir := golden.Open(t, golden.Clean)
	segment := filepath.Join("commitlog", "00000000000000196608")
	if err := os.Remove(filepath.Join(dir, segment)); err != nil {
		t.Fatal(err)
	}
	o := program(t, "get", dir, "orders", "0", "-n", "-1")
	if o.code != exitFailed || strings.Count(o.err, "\n") != 3 || !strings.Contains(o.err, "24 damaged messages left out") ||
		!strings.Contains(o.err, "orders-0: messages 67 to 90 are damaged, the first: "+filepath.Join(dir, segment)+": offset 196822: ") {
		t.Errorf("get: exit code %d: %s", o.code, o.err)
	}
	for _, command := range []string{"verify", "repair"} {
		o := program(t, command, dir)
		if !strings.Contains(o.out, segment+"  196608  262144  the segment that starts there  no file up to 262144") {
			t.Errorf("%s: %s", command, o.out)
		}
	}
	// What is damaged stands behind the columns of records, and not in one of them.
	if o := program(t, "dump", dir); !strings.Contains(o.out, "\n196608  65536  DAMAGE   ") || strings.Contains(o.err, "no such file") {
		t.Errorf("dump: %s", o.err)
	}
	if o := program(t, "dump", "--ruler", dir, "--from", "196608", "-n", "1"); o.code != exitFailed || strings.Contains(o.err, "no such file") {
		t.Errorf("ruler: %s", o.err)
	}
}
