package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

func newRepair(a *app) *cobra.Command {
	yes, skip := false, false
	c := &cobra.Command{
		Use:   "repair DIR [flags]",
		Short: "Say what a damaged store needs, and do it with --yes",
		Long: `Check the whole store and print what repair would do, by file and offset. Nothing
is changed without --yes.

Queues and index are rebuilt from the log where they do not say what it says.
Files that do not belong are moved aside, segments of a wrong length are padded
or cut, segments under each other's names get their own. What stands behind the
end of the log is cut. All that is taken away or written over is kept below
DIR/actorstore/aside.

A damaged record stays damaged: reading tells of it and goes on behind it, and no
other record is lost for it. A step marked "needs --skip-damaged" gives something
up: a segment that is of another log, a range of the log that is missing at its
end, or the list of deleted topics. Without that flag such a store is left as it is.

Repair may be interrupted or killed and run again. Exit code 0 if nothing is left
to repair and no record is damaged, else 1.

PLACES is at how many places actorstore verify finds what the step mends; FILE, or
the queue (TOPIC-QUEUE), and OFFSET are those of the first, as verify tells them.

With --json each step is a line, {"step":"rebuild","part":"consumequeue",
"path":"t-0","offset":3,"end":0,"count":2,"want":"...","got":"...","to":"",
"choice":false,"done":true}, then each finding that is left as verify prints it, each
file kept aside, {"kept":"...","bytes":20}, and the summary,
{"steps":1,"left":0,"kept":1,"done":true,"min":0,"max":0}.`,
		Example: `  actorstore repair data          # what would be done
  actorstore repair data --yes    # do it`,
		Args: words("DIR"), ValidArgsFunction: onlyDir,
	}
	c.Flags().BoolVar(&yes, "yes", false, "do it")
	c.Flags().BoolVar(&skip, "skip-damaged", false, "agree to steps that give something up")
	c.Flags().Var(&a.store.segment, "segment-size", "of a CommitLog segment, where the files do not tell")
	a.store.geometry(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.repair(c.Context(), args[0], yes, skip) })
	return c
}

func (a *app) repair(ctx context.Context, dir string, yes, skip bool) error {
	if err := a.exists(dir); err != nil {
		return err
	}
	o, err := a.options(dir)
	if err != nil {
		return err
	}
	var r actorstore.RepairReport
	if yes {
		r, err = actorstore.Repair(ctx, o, actorstore.RepairOptions{SkipDamaged: skip})
	} else {
		r, err = actorstore.PlanRepair(ctx, o)
	}
	a.bar.end()
	if err != nil && !errors.Is(err, actorstore.ErrChoice) {
		return err
	}
	shown := &repaired{a: a, dir: dir, r: &r}
	if a.json {
		err = shown.json()
	} else {
		err = shown.people()
	}
	if err != nil {
		return err
	}
	return shown.verdict(skip)
}

// repaired prints what repair found or did.
type repaired struct {
	a   *app
	dir string
	r   *actorstore.RepairReport
}

func (p *repaired) json() error {
	var l jsonLine
	for _, s := range p.r.Steps {
		l.line().text("step", string(s.Action)).text("part", string(s.Where)).text("path", s.Path).number("offset", s.Offset).
			number("end", s.End).number("count", s.Count).text("want", s.Want).text("got", s.Got)
		if err := p.a.put(l.text("to", s.To).flag("choice", s.Choice).flag("done", s.Done)); err != nil {
			return err
		}
	}
	for _, f := range p.r.Left {
		if err := p.a.put(findingLine(&l, f, false)); err != nil {
			return err
		}
	}
	for _, k := range p.r.Kept {
		if err := p.a.put(l.line().text("kept", k.Path).number("bytes", k.Size)); err != nil {
			return err
		}
	}
	return p.a.put(l.line().number("steps", int64(len(p.r.Steps))).number("left", int64(len(p.r.Left))).
		number("kept", int64(len(p.r.Kept))).flag("done", p.r.Done).number("min", p.r.Min).number("max", p.r.End))
}

func (p *repaired) people() error {
	a, r := p.a, p.r
	if len(r.Steps) > 0 {
		a.printf("%s\n", a.paint(bold, map[bool]string{true: "done", false: "to do"}[r.Done]))
		t := a.table("ACTION", "PART", "FILE", ">OFFSET", ">PLACES", "WHY")
		for _, s := range r.Steps {
			if err := t.row(a.paint(yellow, string(s.Action)), string(s.Where), short(p.dir, s.Path), strconv.FormatInt(s.Offset, 10),
				countText(s.Count), why(s)); err != nil {
				return err
			}
		}
		if err := t.print(); err != nil {
			return err
		}
	}
	if len(r.Left) > 0 {
		a.printf("%s\n", a.paint(bold, "damaged, and nothing can heal it"))
		t := a.table("PART", "FILE", ">OFFSET", ">END", "WANT", "GOT")
		for _, f := range r.Left {
			if err := t.row(a.findingCells(p.dir, f)...); err != nil {
				return err
			}
		}
		if err := t.print(); err != nil {
			return err
		}
	}
	if len(r.Kept) == 0 {
		return nil
	}
	a.printf("%s\n", a.paint(bold, "kept aside"))
	t := a.table("FILE", ">SIZE")
	for _, k := range r.Kept {
		if err := t.row(short(p.dir, k.Path), bytesText(k.Size)); err != nil {
			return err
		}
	}
	return t.print()
}

// why says what a step answers, and what it needs.
func why(s actorstore.RepairStep) string {
	text := "want " + s.Want + ", got " + s.Got
	if s.Choice && !s.Done {
		text = "needs --skip-damaged: " + text
	}
	return text
}

// verdict ends the command.
func (p *repaired) verdict(skip bool) error {
	r, steps, left := p.r, int64(len(p.r.Steps)), int64(len(p.r.Left))
	const command = "actorstore repair DIR --yes"
	switch n := int64(r.Choices()); {
	case n > 0 && !r.Done && !skip:
		return damaged(command+" --skip-damaged, or a copy of the directory first",
			"%s to do in %s, of which %s up; nothing was changed", counted(steps, "step"), p.dir, give(n))
	case steps > 0 && !r.Done:
		return damaged(command, "%s to do in %s; nothing was changed", counted(steps, "step"), p.dir)
	case left > 0:
		return damaged("actorstore dump DIR --ruler --from OFFSET shows a place of the log",
			"%s in %s cannot be healed; all other records are served", counted(left, "damaged place"), p.dir)
	case !p.a.json && steps == 0:
		p.a.printf("%s log from %s to %s\n", p.a.paint(green, "nothing to repair:"), countText(r.Min), countText(r.End))
	case !p.a.json:
		p.a.printf("%s log from %s to %s\n", p.a.paint(green, "repaired and checked:"), countText(r.Min), countText(r.End))
	}
	return nil
}

// give is how many steps give something up, with its verb.
func give(n int64) string {
	if n == 1 {
		return "1 gives something"
	}
	return countText(n) + " give something"
}
