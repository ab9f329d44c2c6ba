package storetest

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/actorstore/actorstore/actors"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

var deedNames = [...]string{
	doPanic: "PanicAt", doPanicAfter: "PanicAfter", doHang: "Hang", doKill: "Kill", doStop: "Stop", doDrop: "Drop",
	doDelay: "Delay", doReorder: "Reorder", doDuplicate: "Duplicate", doFailCall: "FailCall",
	doPanicCall: "PanicCall", doHangCall: "HangCall", doPause: "PauseClock",
}

// String is the fault as Go source, without the name of the package.
func (f Fault) String() string {
	var b strings.Builder
	b.WriteString(deedNames[f.deed])
	switch f.deed {
	case doKill, doStop:
		fmt.Fprintf(&b, "(%q)", f.actor)
	case doDelay:
		fmt.Fprintf(&b, "(%q, %d, %s)", f.actor, f.at, source(f.length))
	case doFailCall:
		fmt.Fprintf(&b, "(%s, %d, %s)", opSource(f.op), f.at, errSource(f.err))
	case doPanicCall, doHangCall:
		fmt.Fprintf(&b, "(%s, %d)", opSource(f.op), f.at)
	case doPause:
		b.WriteString("()")
	default:
		fmt.Fprintf(&b, "(%q, %d)", f.actor, f.at)
	}
	if f.on != "" && f.deed != doKill {
		fmt.Fprintf(&b, ".On(%q)", string(f.on))
	}
	if f.path != "" {
		fmt.Fprintf(&b, ".Under(%q)", f.path)
	}
	if f.after != 0 {
		fmt.Fprintf(&b, ".After(%s)", source(f.after))
	}
	if f.every != 0 {
		fmt.Fprintf(&b, ".Every(%d)", f.every)
	}
	if f.times != 0 {
		fmt.Fprintf(&b, ".Times(%d)", f.times)
	}
	if f.length != 0 && f.deed != doDelay {
		fmt.Fprintf(&b, ".For(%s)", source(f.length))
	}
	return b.String()
}

// source is a duration as Go source.
func source(d time.Duration) string {
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "Hour"}, {time.Minute, "Minute"}, {time.Second, "Second"}, {time.Millisecond, "Millisecond"}, {time.Microsecond, "Microsecond"}} {
		if d%u.unit == 0 {
			return fmt.Sprintf("%d*time.%s", d/u.unit, u.name)
		}
	}
	return fmt.Sprintf("%d", d)
}

func opSource(op mappedtest.Op) string {
	names := map[string]string{
		"any": "Any", "mkdirall": "MkdirAll", "readdir": "ReadDir", "syncdir": "SyncDir", "syncfs": "SyncFS", "diskusage": "DiskUsage",
	}
	name := op.String()
	if special, ok := names[name]; ok {
		name = special
	} else {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	return "mappedtest.Op" + name
}

func errSource(err error) string {
	for name, number := range map[string]syscall.Errno{
		"EIO": syscall.EIO, "ENOSPC": syscall.ENOSPC, "EMFILE": syscall.EMFILE, "EFBIG": syscall.EFBIG, "ENOMEM": syscall.ENOMEM,
	} {
		if errors.Is(err, number) {
			return "syscall." + name
		}
	}
	return fmt.Sprintf("errors.New(%q)", err)
}

// Injected is what an actor panics with, and the reason in the event that tells
// of its restart.
type Injected struct {
	Fault Fault
	Actor string // "" in a call of the file system
	Step  actors.Step
}

// Error names the fault.
func (i *Injected) Error() string { return "injected: " + i.Fault.String() }
