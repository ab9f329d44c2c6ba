package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

// What the demo puts, and how: small files, so that several segments come to be.
const (
	demoTopic   = "source"
	demoQueues  = 4
	demoWindow  = "32"
	demoLeast   = 40 // lines, so that there is a middle
	demoSegment = "256KiB"
)

type demoFlags struct {
	input string
	keep  bool
	flush string
}

func newDemo(a *app) *cobra.Command {
	f := &demoFlags{}
	c := &cobra.Command{
		Use:   "demo [DIR] [flags]",
		Short: "See it work: put, kill -9 in the middle, reopen, read",
		Long: `Start a second process that puts real input into a new store, each put answered
when it is on disk; kill that process with SIGKILL in the middle; open the store
again and check that every message that was acknowledged is there, with equal
body; then read by queue offset, by key and by time. Takes a few seconds.

The input is this program's own source, or --input FILE, a message a line. DIR is
a new directory (default: a temporary one, removed at the end unless --keep).`,
		Example: `  actorstore demo
  actorstore demo --input /usr/share/dict/words
  actorstore demo /tmp/demo --keep && actorstore stat /tmp/demo`,
		Args: words("[DIR]"), ValidArgsFunction: onlyDir,
	}
	c.Flags().StringVar(&f.input, "input", "", "FILE, or - for standard input, instead of this program's source")
	c.Flags().BoolVar(&f.keep, "keep", false, "leave the store where it is")
	c.Flags().StringVar(&f.flush, "flush", "sync", "when a put is answered: sync (on disk) or async")
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.demo(c.Context(), f, args) })
	return c
}

// demo is the story.
type demo struct {
	a      *app
	dir    string
	flush  string
	what   string // of the input
	lines  []demoLine
	child  childResult
	opened opened
	took   time.Duration // of opening, until everything can be read
	found  int
	lost   int
}

func (a *app) demo(ctx context.Context, f *demoFlags, args []string) (err error) {
	d := &demo{a: a, flush: f.flush}
	if d.lines, d.what, err = a.demoInput(f.input); err != nil {
		return err
	}
	if len(d.lines) < demoLeast {
		return usage("a longer file", "the demo wants at least %d lines, got %d", demoLeast, len(d.lines))
	}
	if len(args) > 0 {
		d.dir = args[0]
		if err := emptyDir(d.dir); err != nil {
			return err
		}
	} else {
		if d.dir, err = os.MkdirTemp("", "actorstore-demo-"); err != nil {
			return err
		}
		if !f.keep {
			defer func() { err = errors.Join(err, os.RemoveAll(d.dir)) }()
		}
	}
	if err := d.tell(ctx); err != nil {
		return err
	}
	if f.keep && !a.json {
		a.printf("\nThe store is in %s.\n", d.dir)
	}
	return nil
}

// tell runs the acts one after the other.
func (d *demo) tell(ctx context.Context) error {
	d.say("1 put", "%s: %s lines into topic %q, %d queues, %s flush", d.what, countText(int64(len(d.lines))),
		demoTopic, demoQueues, d.flush)
	if err := d.runChild(ctx); err != nil {
		return err
	}
	d.say("2 kill", "process %d was killed with SIGKILL after %s, having acknowledged %s messages (%s/s)",
		d.child.pid, tookText(d.child.took), countText(int64(len(d.child.acks))),
		countText(int64(float64(len(d.child.acks))/max(d.child.took.Seconds(), 1e-9))))
	s, err := d.reopen(ctx)
	if err != nil {
		return err
	}
	err = d.check(ctx, s)
	if err == nil {
		err = d.answers(ctx, s)
	}
	if err := errors.Join(err, d.a.close(s)); err != nil {
		return err
	}
	if err := d.summary(); err != nil {
		return err
	}
	if d.lost > 0 {
		return damaged("actorstore verify on the directory, with --keep", "%d acknowledged messages were lost", d.lost)
	}
	return nil
}

// reopen opens what the dead process left.
func (d *demo) reopen(ctx context.Context) (*actorstore.Store, error) {
	o, err := d.a.options(d.dir)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	s, opened, err := d.a.openStore(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := s.Dispatched(ctx); err != nil {
		return nil, errors.Join(err, d.a.close(s))
	}
	d.took, d.opened = time.Since(began), opened
	segments, _ := filepath.Glob(filepath.Join(d.dir, "commitlog", "*"))
	d.say("3 reopen", "recovered in %s: the log ends at %s in %s, %s behind it set aside, %s",
		tookText(d.took), countText(opened.End), counted(int64(len(segments)), "segment"), counted(opened.Cut, "byte"),
		counted(int64(opened.Damaged), "damaged place"))
	return s, nil
}

func (d *demo) say(act, format string, args ...any) {
	if d.a.json {
		return
	}
	d.a.printf("%s ", d.a.paint(bold, pad(act, 10)))
	d.a.printf(format+"\n", args...)
	_ = d.a.out.Flush() // a later error of the same stream tells
}

func pad(text string, width int) string {
	for len(text) < width {
		text += " "
	}
	return text
}

func (d *demo) summary() error {
	acked := len(d.child.acks)
	if d.a.json {
		var l jsonLine
		return d.a.put(l.line().number("lines", int64(len(d.lines))).number("acked", int64(acked)).
			number("found", int64(d.found)).number("lost", int64(d.lost)).
			real("ingest_ms", float64(d.child.took.Microseconds())/1e3).
			real("recovery_ms", float64(d.took.Microseconds())/1e3).
			number("end", d.opened.End).number("cut", d.opened.Cut).number("damaged", int64(d.opened.Damaged)))
	}
	d.a.printf("\n")
	d.say("result", "%s acknowledged before the kill, %s found after it, %s lost",
		countText(int64(acked)), countText(int64(d.found)), d.a.paint(map[bool]style{true: green, false: red}[d.lost == 0], countText(int64(d.lost))))
	return nil
}
