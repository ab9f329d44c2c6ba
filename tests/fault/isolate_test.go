package fault_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/actorstore/actorstore/tests/fault"
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

// violated is 1 for a test that has failed.
func violated(t *testing.T) int {
	if t.Failed() {
		return 1
	}
	return 0
}

// passing are the lines of a child that has failed of which nothing is to be learnt.
var passing = regexp.MustCompile(`^\s*(=== |--- PASS)`)

// leftOvers cleans up behind a child and tells what it has left.
var leftOvers = func(dir string) error { return nil }

// isolated runs the test again in a child process, so that one that dies is a
// failure like any other and leaves nothing behind. In the child it returns the
// directory to work in. Lines that begin with "case" tell where a child was when
// it died. The parent writes to the ledger, for a child that is dead too.
func isolated(t *testing.T) (dir string, child bool) {
	t.Helper()
	if os.Getenv(rigChild) == t.Name() {
		return os.Getenv(rigDir), true
	}
	dir, err := os.MkdirTemp("", "actorstore-fault-")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.run=^" + t.Name() + "$", "-test.v", "-test.timeout=2h"}
	flag.Visit(func(f *flag.Flag) {
		if strings.HasPrefix(f.Name, "fault.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	var out bytes.Buffer
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), rigChild+"="+t.Name(), rigDir+"="+dir)
	cmd.Stdout, cmd.Stderr = &out, &out
	stopped, err := runStopped(cmd)
	a := account{test: t.Name()}
	for line := range strings.Lines(out.String()) {
		line = strings.TrimRight(line, "\n")
		if !a.line(line) && (err != nil && !passing.MatchString(line) || strings.Contains(line, "_test.go:")) {
			t.Log(strings.Replace(line, "go test ", ledger.GoTest()+" ", 1)) // built as the child was
		}
	}
	if stopped {
		a.write(t)
		tidy(dir)
		fmt.Fprintln(os.Stderr, t.Name(), "was interrupted")
		os.Exit(1) // not on to the next rig
	}
	if err != nil {
		a.failed()
		again := replay(t.Name(), "")
		if died := cmd.ProcessState.ExitCode() != 1; died {
			again = replay(t.Name(), a.last)
		}
		t.Errorf("the child ended with %v; its last case was %s\nreplay: %s", err, a.last, again)
	}
	a.write(t)
	if err := leftOvers(dir); err != nil {
		t.Error(err)
		return dir, false // nothing is removed below what may be a mount
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
	return dir, false
}

// runStopped runs a child. Who interrupts the parent stops the child, which is no
// failure of it.
func runStopped(cmd *exec.Cmd) (stopped bool, err error) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM)
	defer signal.Stop(told)
	if err := cmd.Start(); err != nil {
		return false, err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case <-told:
		_ = cmd.Process.Kill()
		return true, <-ended
	case err := <-ended:
		if err == nil {
			return false, nil
		}
		select { // the child may have been told as well, and be the first to end
		case <-told:
			return true, err
		case <-time.After(100 * time.Millisecond):
			return false, err
		}
	}
}

// tidy removes what a child that was stopped has left.
func tidy(dir string) {
	err := leftOvers(dir)
	if err != nil {
		err = leftOvers(dir) // the first one has unmounted it
	}
	if err == nil {
		err = os.RemoveAll(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

// replay is the command that runs the test like this again, and in front of it the
// one that runs only its last case, where that is one of the sweep.
func replay(test, last string) string {
	run := fmt.Sprintf("%s ./tests/fault -run '^%s$'", ledger.GoTest(), test)
	s := fmt.Sprintf("%s -fault.seed %d", run, *flagSeed)
	flag.Visit(func(f *flag.Flag) {
		if f.Name == "fault.cases" || f.Name == "fault.cycles" {
			s += fmt.Sprintf(" -%s %s", f.Name, f.Value)
		}
	})
	if rooted() {
		s = rigSwitch + "=1 " + s
	}
	if _, err := fault.ParseCase(last); err == nil {
		s = fmt.Sprintf("%s -fault.case '%s'\nor all of it: %s", run, last, s)
	}
	return s
}

func cycles(own int) int {
	if *flagCycles > 0 {
		return *flagCycles
	}
	return own
}
