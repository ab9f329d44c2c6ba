package fault_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/actorstore/actorstore/tests/ledger"
)

var flagCycles = flag.Int("fault.cycles", 0, "how often each real rig repeats, 0 = its own number")

const (
	rigChild = "ACTORSTORE_FAULT_CHILD" // the name of the test that a child runs
	rigDir   = "ACTORSTORE_FAULT_DIR"   // where it may work

	rigSwitch = "ACTORSTORE_ROOT_RIGS" // 1 runs the rigs that need root
)

func rooted() bool { return os.Getenv(rigSwitch) == "1" }

var flagLedger = flag.String("fault.ledger", "", "append a row for each run of a rig to this file")

// note adds how a run of a rig has ended to the ledger.
func note(t *testing.T, rig string, cases, violations int) {
	t.Helper()
	if *flagLedger == "" {
		return
	}
	row := ledger.Row{Rig: rig, First: *flagSeed, Last: *flagSeed, Cases: int64(cases), Violations: int64(violations)}
	if err := ledger.Append(*flagLedger, row); err != nil {
		t.Error(err)
	}
}

// violated is 1 for a test that has failed.
func violated(t *testing.T) int {
	if t.Failed() {
		return 1
	}
	return 0
}

// leftOvers cleans up behind a child and tells what it has left.
var leftOvers = func(dir string) error { return nil }

// isolated runs the test again in a child process, so that one that dies is a
// failure like any other and leaves nothing behind. In the child it returns the
// directory to work in. Lines that begin with "case" tell where a child was when
// it died.
func isolated(t *testing.T) (dir string, child bool) {
	t.Helper()
	if os.Getenv(rigChild) == t.Name() {
		return os.Getenv(rigDir), true
	}
	dir, err := os.MkdirTemp("", "actorstore-fault-")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.run=^" + t.Name() + "$", "-test.v", "-test.parallel=20", "-test.timeout=2h"}
	flag.Visit(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, "fault.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), rigChild+"="+t.Name(), rigDir+"="+dir)
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	last := ""
	for line := range strings.Lines(out.String()) {
		line = strings.TrimRight(line, "\n")
		if name, is := strings.CutPrefix(line, "case "); is {
			last = name
		} else if err != nil || strings.Contains(line, "_test.go:") {
			t.Log(line)
		}
	}
	if err != nil {
		t.Errorf("the child ended with %v; its last case was %s\nreplay: %s", err, last, replay(t))
	}
	if err := leftOvers(dir); err != nil {
		t.Error(err)
		return dir, false // nothing is removed below what may be a mount
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
	return dir, false
}

// replay is the command that runs the test like this again.
func replay(t *testing.T) string {
	s := fmt.Sprintf("go test ./tests/fault -count=1 -run '^%s$' -fault.seed %d", t.Name(), *flagSeed)
	if *flagCycles > 0 {
		s += fmt.Sprintf(" -fault.cycles %d", *flagCycles)
	}
	if rooted() {
		s = rigSwitch + "=1 " + s
	}
	return s
}

func cycles(own int) int {
	if *flagCycles > 0 {
		return *flagCycles
	}
	return own
}
