package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
)

// dumpFlags choose a part of the log.
type dumpFlags struct {
	from, to int64
	count    int64
	ruler    bool
	all      bool
}

func newDump(a *app) *cobra.Command {
	f := &dumpFlags{}
	c := &cobra.Command{
		Use:   "dump DIR [SEGMENT] [flags]",
		Short: "Show what stands in the log, record by record, damage too",
		Long: `Show what stands in the log: records (those of transactions too, which are in no
queue), the fillers at the ends of segments, and damaged places, from the first
whole record to the end of the log. SEGMENT is the name of a segment file, or any
offset in it. --from in the middle of a record shows the rest of it as damage.

SYSFLAG names the bits of a record's sysFlag that are set; CHECKSUM is what covers
it: the whole record (property __CRC32#), or the body alone.

--ruler draws each field with its offset, name, bytes and value. Bodies are cut
after 256 bytes unless --all is given.

With --json a record is the line that export --json prints, behind
{"kind":"record"; others are {"kind":"blank" or "damage","phy":0,"size":8,...}.
Exit code 1 if there was damage.`,
		Example: `  actorstore dump data
  actorstore dump data 00000000001073741824 -n 3 --ruler
  actorstore dump data --from 5291 --to 6000 --ruler`,
		Args: words("DIR", "[SEGMENT]"), ValidArgsFunction: onlyDir,
	}
	numberVar(c, &f.from, "from", "", -1, 0, "physical offset to begin at (default: the log's first)")
	numberVar(c, &f.to, "to", "", -1, 0, "physical offset to end at (default: the log's end)")
	numberVar(c, &f.count, "count", "n", all, all, "at most so many entries; -1 for all")
	c.Flags().BoolVar(&f.ruler, "ruler", false, "draw the fields over the bytes")
	unset(c, "from", "to", "count")
	c.Flags().BoolVar(&f.all, "all", false, "with --ruler: whole bodies")
	a.store.reading(c)
	c.RunE = a.runs(func(c *cobra.Command, args []string) error { return a.dump(c.Context(), f, args) })
	return c
}

// errEnough ends a walk that has shown what was asked for.
var errEnough = errors.New("enough")

func (a *app) dump(ctx context.Context, f *dumpFlags, args []string) (err error) {
	i, err := a.inspect(ctx, args[0], false)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, i.Close()) }()
	o, err := a.options(args[0])
	if err != nil {
		return err
	}
	if err := f.rangeOf(a, args, i, o.MappedFileSizeCommitLog); err != nil {
		return err
	}
	d := &dumper{a: a, f: f, dir: args[0], segment: o.MappedFileSizeCommitLog}
	if !a.json && !f.ruler {
		d.table = a.table(">PHY", ">SIZE", "KIND", "TOPIC", ">QUEUE", ">OFFSET", "SYSFLAG", "STORED", ">BODY", "CHECKSUM", "")
	}
	// The walk goes on to the log's end: it would take a record that --to cuts
	// for damage.
	err = i.Walk(ctx, f.from, -1, d.entry)
	if errors.Is(err, errEnough) {
		err = nil
	}
	if d.table != nil {
		err = errors.Join(err, d.table.print())
	}
	if err == nil && d.damaged > 0 {
		return damaged("actorstore verify DIR checks queues and index, too", "%s", counted(int64(d.damaged), "damaged place"))
	}
	return err
}

// rangeOf puts the range that SEGMENT names into the flags and checks it.
func (f *dumpFlags) rangeOf(a *app, args []string, i *actorstore.Inspection, segment int64) error {
	least, end := i.Bounds()
	if len(args) > 1 {
		at, err := strconv.ParseInt(filepath.Base(args[1]), 10, 64)
		if err != nil {
			return usage("the name of a file in "+a.logDir(args[0]), "%q is no segment", args[1])
		}
		at -= at % segment
		if f.from < at {
			f.from = at
		}
		if f.to < 0 || f.to > at+segment {
			f.to = at + segment
		}
	}
	if from := max(f.from, least); from >= end && end > least || f.to >= 0 && f.to <= from && end > least {
		return notFound(fmt.Sprintf("the log holds offsets %d to %d", least, end), "nothing stands there in the log")
	}
	return nil
}
