package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/commitlog/mapped"
	"github.com/actorstore/actorstore/commitlog/record"
)

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
	if d.f.count >= 0 && d.seen >= d.f.count || d.f.to >= 0 && e.Offset >= d.f.to {
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
			timeText(m.StoreTimestamp), strconv.Itoa(len(m.Body)), sum, "")
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
		return d.table.row(strconv.FormatInt(e.Offset, 10), strconv.Itoa(e.Size), "BLANK", "", "", "", "", "", "", "", "")
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
			"", "", "", "", "", "", "", d.a.paint(red, "want "+want+", got "+got))
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
	f, err := os.Open(filepath.Join(d.a.logDir(d.dir), mapped.Name(start)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // that is the damage
	}
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
