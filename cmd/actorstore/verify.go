package main

import (
	"context"
	"errors"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

func newVerify(a *app) *cobra.Command {
	anyway := false
	c := &cobra.Command{
		Use:   "verify DIR [flags]",
		Short: "Check everything against everything",
		Long: `Read the whole store and check every record, its checksum, every queue entry and
the index against the log. Nothing is changed. Each finding names the file, the
offset, what was expected and what stands there. Exit code 1 if there is any.

With --json each finding is a line, {"finding":"commitlog","path":"...",
"offset":0,"end":0,"want":"...","got":"..."}, and the last line is the summary,
{"findings":0,"min":0,"max":0}.

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
		return fail(exitBusy, "stop that process, or verify a copy of the directory; --in-use checks all the same",
			"%s is in use by another process, and changes while it is read", dir)
	}
	var l jsonLine
	findings := 0
	t := a.table("PART", "FILE", ">OFFSET", ">END", "WANT", "GOT")
	var printed error
	err = i.Verify(ctx, func(f actorstore.Finding) {
		findings++
		if a.json {
			printed = errors.Join(printed, a.put(findingLine(&l, f)))
			return
		}
		end := ""
		if f.End > f.Offset {
			end = strconv.FormatInt(f.End, 10)
		}
		printed = errors.Join(printed, t.row(a.paint(red, string(f.Where)), f.Path, strconv.FormatInt(f.Offset, 10), end, f.Want, f.Got))
	})
	a.bar.end()
	if err := errors.Join(err, printed, t.print()); err != nil {
		return err
	}
	least, end := i.Bounds()
	if a.json {
		err = a.put(l.line().number("findings", int64(findings)).number("min", least).number("max", end))
	} else if findings == 0 {
		a.printf("%s log from %s to %s, %s\n", a.paint(green, "no damage:"), countText(least), countText(end),
			counted(int64(queueCount(i)), "queue"))
	}
	if err == nil && findings > 0 {
		return fail(exitFailed, "actorstore dump "+dir+" --ruler --from OFFSET shows a place; actorstore repair says what can be done",
			"%s in %s", counted(int64(findings), "finding"), dir)
	}
	return err
}

func queueCount(i *actorstore.Inspection) (n int) {
	for _, t := range i.Topics() {
		n += len(t.Queues)
	}
	return n
}

// findingLine is a finding for machines, without its end.
func findingLine(l *jsonLine, f actorstore.Finding) *jsonLine {
	return l.line().text("finding", string(f.Where)).text("path", f.Path).number("offset", f.Offset).
		number("end", f.End).text("want", f.Want).text("got", f.Got)
}
