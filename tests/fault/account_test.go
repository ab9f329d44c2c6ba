package fault_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/tests/fault"
	"github.com/actorstore/actorstore/tests/ledger"
)

// note tells the parent of a child how a run of a rig has ended.
func note(t *testing.T, rig string, cases, violations int) {
	t.Helper()
	fmt.Fprintln(os.Stderr, "ran", rig, cases, violations)
}

// account is what a parent knows of the runs of its child.
type account struct {
	test  string
	last  string // case
	begun int64  // cases since the last row
	rows  []ledger.Row
}

// line takes a line of the child, if it is one for the parent.
func (a *account) line(s string) bool {
	if name, is := strings.CutPrefix(s, "case "); is {
		a.last = name
		if c, err := fault.ParseCase(name); err != nil || c.K > 0 { // without a fault it is no case yet
			a.begun++
		}
		return true
	}
	row := ledger.Row{First: *flagSeed, Last: *flagSeed}
	if n, _ := fmt.Sscanf(s, "ran %s %d %d", &row.Rig, &row.Cases, &row.Violations); n < 3 {
		return false
	}
	a.rows, a.begun = append(a.rows, row), 0
	return true
}

// failed makes sure that a child which has failed, or died, has a violation: it
// may have noted nothing, or, on its way down, that all was well.
func (a *account) failed() {
	n := len(a.rows)
	switch {
	case n == 0 || a.begun > 0:
		a.rows = append(a.rows, ledger.Row{Rig: a.rig(), First: *flagSeed, Last: *flagSeed, Cases: max(a.begun, 1), Violations: 1})
	case !slices.ContainsFunc(a.rows, func(r ledger.Row) bool { return r.Violations > 0 }):
		a.rows[n-1].Violations = 1
	}
}

// rig is the name of the run that has not come to its end.
func (a *account) rig() string {
	word := append(strings.Fields(strings.ReplaceAll(a.last, ",", "")), "", "", "")
	switch a.test {
	case "TestSweep":
		return "fault-sweep"
	case "TestPowerCut": // case ext4 sync, cut 3
		return strings.TrimRight("powercut-"+word[0]+"-"+word[1], "-")
	case "TestBlockImages": // case block image, sync, 3
		return strings.TrimRight("block-image-ext4-"+word[2], "-")
	case "TestRealFsyncgate":
		return "fsyncgate"
	case "TestDiskFull":
		return "disk-full"
	}
	return strings.ToLower(strings.TrimPrefix(a.test, "Test"))
}

// write adds the rows to the ledger.
func (a *account) write(t *testing.T) {
	t.Helper()
	if *flagLedger == "" {
		return
	}
	for _, row := range a.rows {
		if err := ledger.Append(*flagLedger, row); err != nil {
			t.Error(err)
		}
	}
}

// A child that has failed is never a clean row, nor no row.
func TestAccount(t *testing.T) {
	sweep := "case " + fault.Case{Workload: fault.Workloads()[0], K: 3}.String()
	whole := "case " + fault.Case{Workload: fault.Workloads()[0]}.String()
	for _, c := range []struct {
		test   string
		lines  []string
		failed bool
		want   string
	}{
		{"TestSweep", []string{whole, sweep, sweep, "ran fault-sweep 2 0"}, false, "fault-sweep 2 0"},
		{"TestSweep", []string{whole, sweep, sweep, "panic: a store"}, true, "fault-sweep 2 1"},
		{"TestSweep", []string{sweep, "ran fault-sweep 250 3"}, true, "fault-sweep 250 3"},
		{"TestSweep", []string{sweep, "ran fault-sweep 250 0"}, true, "fault-sweep 250 1"},
		{"TestDiskFull", nil, true, "disk-full 1 1"},
		{"TestTruncated", nil, true, "truncated 1 1"},
		{"TestBlockImages", []string{"case block image, async, 0"}, true, "block-image-ext4-async 1 1"},
		{"TestPowerCut", nil, true, "powercut 1 1"},
		{"TestPowerCut", []string{"case ext4 sync, cut 0", "ran powercut-ext4-sync 1 0", "case xfs async, cut 0"}, true,
			"powercut-ext4-sync 1 0, powercut-xfs-async 1 1"},
	} {
		a := account{test: c.test}
		for _, line := range c.lines {
			if own := a.line(line); own == strings.HasPrefix(line, "panic") {
				t.Errorf("%q: %v", line, own)
			}
		}
		if c.failed {
			a.failed()
		}
		var got []string
		for _, r := range a.rows {
			got = append(got, fmt.Sprint(r.Rig, " ", r.Cases, " ", r.Violations))
		}
		if s := strings.Join(got, ", "); s != c.want {
			t.Errorf("%s %q: %s, want %s", c.test, c.lines, s, c.want)
		}
	}
}

// A command runs the case that a child died in, and with it as many as there were.
func TestReplay(t *testing.T) {
	last := fault.Case{Workload: fault.Workloads()[0], K: 3, Seed: 9}.String()
	if s := replay("TestSweep", last); !strings.HasPrefix(s, ledger.GoTest()+" ./tests/fault -run '^TestSweep$' -fault.case '"+last+"'\n") {
		t.Error(s)
	}
	if s := replay("TestPowerCut", "ext4 sync, cut 3"); strings.Contains(s, "-fault.case") {
		t.Error(s)
	}
}
