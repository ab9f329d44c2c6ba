package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/tests/golden"
)

// childJob names the environment variable that makes a test binary the child.
const childJob = "ACTORSTORE_CHILD_JOB"

// Job is what a child process does until it is killed: it puts messages into a
// new store and tells of each record once its put is answered.
type Job struct {
	Root     string
	Settings golden.Settings
	Sync     bool // SYNC_FLUSH
	Ext      bool // ext units
	Kinds    Kinds
	From     int // number of the first message
	Count    int // of messages, then it waits for its end; 0 puts on and on
	Window   int // puts in flight
}

// Options are those that the child opens the store with.
func (j Job) Options() actorstore.Options {
	o := Options(j.Root, j.Settings)
	o.EnableConsumeQueueExt = j.Ext
	if j.Sync {
		o.FlushDiskType = actorstore.SyncFlush
	}
	return o
}

// RunChild is for TestMain: in a child process it does its job and never
// returns.
func RunChild() {
	text := os.Getenv(childJob)
	if text == "" {
		return
	}
	var j Job
	err := json.Unmarshal([]byte(text), &j)
	if err == nil {
		err = j.run(os.Stdout)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// run puts, and writes a line for each record. An empty line says that all was
// put.
func (j Job) run(out io.Writer) error {
	s, err := actorstore.Open(context.Background(), j.Options())
	if err != nil {
		return err
	}
	w := NewWriter(s, j.Options(), j.Kinds, nil)
	w.Window = j.Window
	w.Each = func(puts []Put) {
		for _, p := range puts {
			b, err := json.Marshal(p)
			if err != nil {
				panic(err)
			}
			if _, err := fmt.Fprintf(out, "%s\n", b); err != nil {
				os.Exit(1) // the parent has gone
			}
		}
	}
	if j.Count > 0 {
		if _, err := w.Put(context.Background(), j.From, j.Count); err != nil {
			return err
		}
		fmt.Fprintln(out)
		io.Copy(io.Discard, os.Stdin) // until it is killed, or the parent ends
		return errors.New("not killed")
	}
	for i := j.From; ; i += 100 {
		if _, err := w.Put(context.Background(), i, 100); err != nil {
			return err
		}
	}
}

// Kill runs the job in a child process and kills it, with SIGKILL, once it has
// told of so many records, or with 0 once all of Count are put. It returns the
// records that the child told of.
func (j Job) Kill(records int) ([]Put, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childJob+"="+string(text))
	var complaints strings.Builder
	cmd.Stderr = &complaints
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	puts, dead, err := collect(out, records, cmd.Process.Kill)
	if err != nil || !dead {
		cmd.Process.Kill()
	}
	cmd.Wait() // tells that it was killed
	if err == nil && !dead {
		err = fmt.Errorf("the child ended by itself after %d records: %s", len(puts), complaints.String())
	}
	return puts, err
}

// collect reads records to the end, and kills when it has enough of them.
func collect(out io.Reader, records int, kill func() error) (puts []Put, dead bool, err error) {
	in := bufio.NewReader(out)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			return puts, dead, nil // what was being written when it died is no line
		}
		all := len(line) == 1
		if !all {
			var p Put
			if err := json.Unmarshal(line, &p); err != nil {
				return puts, dead, err
			}
			puts = append(puts, p)
		}
		if !dead && (all || records > 0 && len(puts) >= records) {
			if err := kill(); err != nil {
				return puts, dead, err
			}
			dead = true
		}
	}
}
