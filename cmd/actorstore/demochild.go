package main

import (
	"bufio"
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// ownSource is input that is real and everywhere at hand.
//
//go:embed *.go
var ownSource embed.FS

// demoLine is a line of input and where it comes from.
type demoLine struct{ file, key, body string }

func (a *app) demoInput(input string) ([]demoLine, string, error) {
	switch input {
	case "":
		lines, err := sourceLines()
		return lines, "this program's own source", err
	case "-":
		lines, err := linesOf(nil, "stdin", a.in)
		return lines, "standard input", err
	}
	f, err := os.Open(input)
	if err != nil {
		return nil, "", notFound("a text file, or - for standard input", "%w", err)
	}
	defer f.Close()
	lines, err := linesOf(nil, filepath.Base(input), f)
	return lines, input, err
}

func sourceLines() (lines []demoLine, err error) {
	names, err := fs.Glob(ownSource, "*.go")
	for _, name := range names {
		text, readErr := ownSource.ReadFile(name)
		if err = readErr; err == nil {
			lines, err = linesOf(lines, name, bytes.NewReader(text))
		}
		if err != nil {
			return nil, err
		}
	}
	return lines, err
}

func linesOf(lines []demoLine, file string, r io.Reader) ([]demoLine, error) {
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, lineMost)
	for n := 1; scan.Scan(); n++ {
		// JSON carries text; what is none is made so before it is compared.
		body := strings.ToValidUTF8(scan.Text(), "\uFFFD")
		lines = append(lines, demoLine{file, fmt.Sprintf("%s:%d", file, n), body})
	}
	return lines, scan.Err()
}

// demoAck is what the child says of an acknowledged message.
type demoAck struct {
	Line   int
	Queue  int32
	Offset int64
}

// childResult is what is known of the child after its death.
type childResult struct {
	pid  int
	acks []demoAck
	took time.Duration // from its first word to its last
}

// runChild lets another process put the lines, and kills it in the middle. What
// that process had said before it died counts as acknowledged.
func (d *demo) runChild(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.CommandContext(ctx, self, "run", d.dir, "-", "--format", "jsonl", "--topic", demoTopic,
		"--queues", fmt.Sprint(demoQueues), "--flush", d.flush, "--window", demoWindow, "--acks",
		"--segment-size", demoSegment, "--queue-file-size", "20000", "--index-slots", "1000", "--index-entries", "4000")
	var complaint bytes.Buffer
	child.Stderr = &complaint
	in, err := child.StdinPipe()
	if err != nil {
		return err
	}
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	d.child.pid = child.Process.Pid
	go d.feed(in)
	killed, err := d.listen(child, out)
	waited := child.Wait()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return err
	case !killed:
		return fmt.Errorf("the second process ended by itself (%v): %s", waited, complaint.String())
	}
	return nil
}

// feed gives the child its input. The child's death ends it with an error that
// says nothing new.
func (d *demo) feed(in io.WriteCloser) {
	w := bufio.NewWriter(in)
	e := json.NewEncoder(w)
	for _, l := range d.lines {
		if e.Encode(map[string]string{"tags": l.file, "keys": l.key, "body": l.body}) != nil {
			break
		}
	}
	_ = w.Flush()
	_ = in.Close()
}

// listen collects what the child acknowledges, and kills it half way. Acks that
// it had written by then are still read.
func (d *demo) listen(child *exec.Cmd, out io.Reader) (killed bool, err error) {
	var began time.Time
	scan := bufio.NewScanner(out)
	for scan.Scan() {
		if began.IsZero() {
			began = time.Now()
		}
		var ack demoAck
		if err := json.Unmarshal(scan.Bytes(), &ack); err != nil || ack.Line == 0 {
			continue // cut by the kill, or the summary of a child that was too fast
		}
		d.child.acks = append(d.child.acks, ack)
		d.child.took = time.Since(began)
		if !killed && len(d.child.acks) >= len(d.lines)/2 {
			if err := child.Process.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
				return false, err
			}
			killed = true
		}
	}
	return killed, scan.Err()
}
