package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

func newVerify(a *app) *cobra.Command {
	anyway := false
	c := &cobra.Command{
		Use:   "verify DIR [flags]",
		Short: "Check everything against everything",
		Long: `Read the whole store and check every record, its checksum, every queue entry and
the index against the log. Nothing is changed. Each finding names the file (or
the queue, TOPIC-QUEUE), the offset, what was expected and what stands there. Exit
code 1 if there is any.

OFFSET and END (where a range is damaged) are physical offsets in the log's files,
numbers of messages in a queue, and bytes in any other file. A finding marked
"lasting" is damage inside the log that nothing can heal: reading tells of it and
serves all other records. actorstore repair mends the others.

With --json each finding is a line, {"finding":"commitlog","path":"...",
"offset":0,"end":0,"want":"...","got":"...","heals":false}, and the last line is
the summary, {"findings":1,"lasting":1,"min":0,"max":0}.

A store in use changes while it is read, so verify refuses it.`,
		Example: `  actorstore verify data
  actorstore verify data --json | tail -1`,
		Args: words("DIR"), ValidArgsFunction: onlyDir,
	}
	c.Flags().BoolVar(&anyway, "in-use", false, "check a store in use all the same; what is just being written shows as findings")
	a.store.reading(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.verify(c.Context(), args[0], anyway) })
	return c
}

func (a *app) verify(ctx context.Context, dir string, anyway bool) (err error) {
	i, err := a.inspect(ctx, dir, true)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	if i.Locked() && !anyway {
		return fail(kindBusy, "stop that process, or verify a copy of the directory; --in-use checks all the same",
			"%s is in use by another process, and changes while it is read", dir)
	}
	var l jsonLine
	var found findings
	t := a.table("PART", "FILE", ">OFFSET", ">END", "WANT", "GOT", "")
	var printed error
	err = i.Verify(ctx, func(f actorstore.Finding) {
		heals := i.Heals(f)
		found.add(f, heals)
		if a.json {
			printed = errors.Join(printed, a.put(findingLine(&l, f, heals)))
			return
		}
		printed = errors.Join(printed, t.row(append(a.findingCells(dir, f), lasting(heals))...))
	})
	a.bar.end()
	if err := errors.Join(err, printed, t.print()); err != nil {
		return err
	}
	least, end := i.Bounds()
	if a.json {
		err = a.put(l.line().number("findings", found.all).number("lasting", found.lasting).number("min", least).number("max", end))
	} else if found.all == 0 {
		a.printf("%s log from %s to %s, %s\n", a.paint(green, "no damage:"), countText(least), countText(end),
			counted(int64(queueCount(i)), "queue"))
	}
	if err == nil && found.all > 0 {
		return damaged(found.hint(), "%s in %s%s", counted(found.all, "finding"), dir, found)
	}
	return err
}

// findings counts what verify has found.
type findings struct{ all, lasting, log int64 }

func (n *findings) add(f actorstore.Finding, heals bool) {
	n.all++
	if !heals {
		n.lasting++
	}
	if string(f.Where) == "commitlog" {
		n.log++
	}
}

// String says how many of them stay.
func (n findings) String() string {
	switch {
	case n.lasting == 0:
		return ""
	case n.lasting < n.all:
		return fmt.Sprintf(", %s of them lasting", countText(n.lasting))
	}
	return ", which nothing can heal; all other records are served"
}

// hint is the next step, if there is one that helps.
func (n findings) hint() string {
	var steps []string
	if n.all > n.lasting {
		steps = append(steps, "actorstore repair DIR says what can be done")
	}
	if n.log > 0 {
		steps = append(steps, "actorstore dump DIR --ruler --from OFFSET shows a place of the log")
	}
	return strings.Join(steps, ", ")
}

func lasting(heals bool) string {
	if heals {
		return ""
	}
	return "lasting"
}

func queueCount(i *actorstore.Inspection) (n int) {
	for _, t := range i.Topics() {
		n += len(t.Queues)
	}
	return n
}

// findingCells are a finding in columns: part, file, offset, end, want, got.
func (a *app) findingCells(dir string, f actorstore.Finding) []string {
	end := ""
	if f.End > f.Offset {
		end = strconv.FormatInt(f.End, 10)
	}
	return []string{a.paint(red, string(f.Where)), short(dir, f.Path), strconv.FormatInt(f.Offset, 10), end, f.Want, f.Got}
}

// findingLine is a finding for machines, without its end.
func findingLine(l *jsonLine, f actorstore.Finding, heals bool) *jsonLine {
	return l.line().text("finding", string(f.Where)).text("path", f.Path).number("offset", f.Offset).
		number("end", f.End).text("want", f.Want).text("got", f.Got).flag("heals", heals)
}

// short is a path of a store without the directory that was named.
func short(dir, path string) string {
	if rel, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rel) && rel != "." {
		return rel
	}
	return path
}
