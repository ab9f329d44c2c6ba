package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/spf13/cobra"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
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
	c.Flags().Int64Var(&f.from, "from", -1, "physical offset to begin at (default: the log's first)")
	c.Flags().Int64Var(&f.to, "to", -1, "physical offset to end at (default: the log's end)")
	c.Flags().Int64VarP(&f.count, "count", "n", -1, "at most so many entries")
	c.Flags().BoolVar(&f.ruler, "ruler", false, "draw the fields over the bytes")
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
	if err := f.rangeOf(args, i, o.MappedFileSizeCommitLog); err != nil {
		return err
	}
	d := &dumper{a: a, f: f, dir: args[0], segment: o.MappedFileSizeCommitLog}
	if !a.json && !f.ruler {
		d.table = a.table(">PHY", ">SIZE", "KIND", "TOPIC", ">QUEUE", ">OFFSET", "SYSFLAG", "STORED", ">BODY", "CHECKSUM")
	}
	err = i.Walk(ctx, f.from, f.to, d.entry)
	if errors.Is(err, errEnough) {
		err = nil
	}
	if d.table != nil {
		err = errors.Join(err, d.table.print())
	}
	if err == nil && d.damaged > 0 {
		return fail(exitFailed, "actorstore verify "+args[0]+" checks queues and index, too", "%d damaged places", d.damaged)
	}
	return err
}

// rangeOf puts the range that SEGMENT names into the flags and checks it.
func (f *dumpFlags) rangeOf(args []string, i *actorstore.Inspection, segment int64) error {
	least, end := i.Bounds()
	if len(args) > 1 {
		at, err := strconv.ParseInt(filepath.Base(args[1]), 10, 64)
		if err != nil {
			return usage("the name of a file in "+filepath.Join(args[0], "commitlog"), "%q is no segment", args[1])
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

// dumper prints entries of the log.
type dumper struct {
	a       *app
	f       *dumpFlags
	dir     string
	segment int64
	table   *table
	line    jsonLine
	seen    int64
	damaged int
	m       actorstore.MessageExt
}

// entry prints one. The bytes are borrowed and inside the fault guard.
func (d *dumper) entry(e actorstore.Entry, damage error) error {
	if d.f.count >= 0 && d.seen >= d.f.count {
		return errEnough
	}
	d.seen++
	switch {
	case damage != nil:
		d.damaged++
		return d.damage(e, damage)
	case e.Kind == record.KindBlank:
		return d.blank(e)
	}
	if err := record.Decode(e.Bytes, &d.m); err != nil {
		return d.damage(e, err)
	}
	return d.record(e)
}

func (d *dumper) record(e actorstore.Entry) error {
	m := &d.m
	crc, has := record.CRCProperty(e.Bytes)
	if d.a.json {
		return d.a.put(d.line.line().text("kind", "record").message(m, sortedProperties(m.Properties, crc)))
	}
	if d.table != nil {
		sum := "body"
		if has {
			sum = "record"
		}
		return d.table.row(strconv.FormatInt(e.Offset, 10), strconv.Itoa(e.Size), "record", harmless(m.Topic, false),
			strconv.Itoa(int(m.QueueID)), strconv.FormatInt(m.QueueOffset, 10), sysFlagText(m.SysFlag),
			timeText(m.StoreTimestamp), strconv.Itoa(len(m.Body)), sum)
	}
	d.head(e, "record", fmt.Sprintf("%s/%d @ %d", harmless(m.Topic, false), m.QueueID, m.QueueOffset))
	d.a.ruler(e.Bytes, d.f.all)
	return nil
}

func (d *dumper) blank(e actorstore.Entry) error {
	if d.a.json {
		return d.a.put(d.line.line().text("kind", "blank").number("phy", e.Offset).number("size", int64(e.Size)))
	}
	if d.table != nil {
		return d.table.row(strconv.FormatInt(e.Offset, 10), strconv.Itoa(e.Size), "BLANK", "", "", "", "", "", "", "")
	}
	d.head(e, "BLANK", "to the end of the segment")
	d.a.ruler(e.Bytes, d.f.all)
	return nil
}

func (d *dumper) damage(e actorstore.Entry, damage error) error {
	want, got := "a record", damage.Error()
	var ce *actorstore.CorruptionError
	if errors.As(damage, &ce) {
		want, got = ce.Want, ce.Got
	}
	if d.a.json {
		return d.a.put(d.line.line().text("kind", "damage").number("phy", e.Offset).number("size", int64(e.Size)).
			text("want", want).text("got", got))
	}
	if d.table != nil {
		return d.table.row(strconv.FormatInt(e.Offset, 10), strconv.Itoa(e.Size), d.a.paint(red, "DAMAGE"),
			d.a.paint(red, "want "+want+", got "+got), "", "", "", "", "", "")
	}
	d.head(e, d.a.paint(red, "DAMAGE"), "want "+want+", got "+got)
	d.a.ruler(d.raw(e), d.f.all)
	return nil
}

func (d *dumper) head(e actorstore.Entry, kind, what string) {
	d.a.printf("%s  %s of %d bytes  %s\n", d.a.paint(bold, strconv.FormatInt(e.Offset, 10)), kind, e.Size, what)
}

// raw reads damaged bytes from the file: a walk gives none for them.
func (d *dumper) raw(e actorstore.Entry) []byte {
	start := e.Offset - e.Offset%d.segment
	f, err := os.Open(filepath.Join(d.dir, "commitlog", mapped.Name(start)))
	if err != nil {
		d.a.note("%v", err)
		return nil
	}
	defer f.Close()
	b := make([]byte, min(int64(e.Size), start+d.segment-e.Offset, 1<<20))
	n, err := f.ReadAt(b, e.Offset-start)
	if err != nil {
		d.a.note("%v", err)
	}
	return b[:n]
}

// sysFlagText names the bits of a sysFlag.
func sysFlagText(flag int32) string {
	var text string
	add := func(on bool, name string) {
		if on {
			text += " " + name
		}
	}
	add(flag&record.SysCompressed != 0, "compressed")
	add(flag&record.SysTransactionMask == record.SysTransactionPrepared, "prepared")
	add(flag&record.SysTransactionMask == record.SysTransactionCommit, "commit")
	add(flag&record.SysTransactionMask == record.SysTransactionRollback, "rollback")
	add(flag&record.SysBornHostV6 != 0, "v6")
	add(flag&record.SysInnerBatch != 0, "batch")
	if text == "" {
		return "-"
	}
	return text[1:]
}
