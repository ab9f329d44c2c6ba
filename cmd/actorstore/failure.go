package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/actorstore/actorstore"
	"github.com/actorstore/actorstore/actors"
)

// The exit codes, as the help lists them.
const (
	exitOK          = 0
	exitFailed      = 1 // something failed, or damage was found
	exitUsage       = 2 // the command line or the input is wrong; nothing was done
	exitBusy        = 3 // the store is in use or takes no more at the moment
	exitNotFound    = 4 // no such store, topic, queue or message
	exitUnsupported = 5 // a store of a kind that is not served
	exitInterrupted = 130
)

const exitCodes = `Exit codes, and the "kind" of an error with --json:
  0    done
  1    failed: "damage" was found, "disk-full", "permission", "unknown" (a put that
       may be stored or not), else "failed"
  2    "usage": wrong command line or input; nothing was done
  3    "busy": the store is in use by another process, or takes no more now
  4    "not-found": no such store, topic, queue or message
  5    "unsupported": a store of a kind that is not served
  130  "interrupted"`

// errorKind is what a script tells errors apart by.
type errorKind string

const (
	kindFailed      errorKind = "failed"
	kindDamage      errorKind = "damage"
	kindDiskFull    errorKind = "disk-full"
	kindPermission  errorKind = "permission"
	kindUnknown     errorKind = "unknown" // the outcome is
	kindUsage       errorKind = "usage"
	kindBusy        errorKind = "busy"
	kindNotFound    errorKind = "not-found"
	kindUnsupported errorKind = "unsupported"
	kindInterrupted errorKind = "interrupted"
)

// code is the exit code of a kind.
func (k errorKind) code() int {
	switch k {
	case kindUsage:
		return exitUsage
	case kindBusy:
		return exitBusy
	case kindNotFound:
		return exitNotFound
	case kindUnsupported:
		return exitUnsupported
	case kindInterrupted:
		return exitInterrupted
	}
	return exitFailed
}

// failure is an error that knows its kind and the next step.
type failure struct {
	kind errorKind
	err  error
	hint string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(kind errorKind, hint, format string, args ...any) error {
	return &failure{kind, fmt.Errorf(format, args...), hint}
}

// usage says that the command line is wrong.
func usage(hint, format string, args ...any) error { return fail(kindUsage, hint, format, args...) }

// notFound says that what was asked for is not there.
func notFound(hint, format string, args ...any) error {
	return fail(kindNotFound, hint, format, args...)
}

// damaged says that not everything is as it must be.
func damaged(hint, format string, args ...any) error { return fail(kindDamage, hint, format, args...) }

// classify knows the typed errors of the store.
func (a *app) classify(err error) (kind errorKind, hint string) {
	var (
		own         *failure
		locked      *actorstore.LockedError
		unsupported *actorstore.UnsupportedError
		option      *actorstore.OptionError
		limit       *actorstore.LimitError
		corrupt     *actorstore.CorruptionError
		fault       *actorstore.FaultError
		missing     *actorstore.MissingError
	)
	switch {
	case errors.As(err, &own):
		return own.kind, own.hint
	case !a.started:
		return kindUsage, "actorstore help"
	case errors.As(err, &locked):
		return kindBusy, "stop the process that has the store open; reading commands work meanwhile"
	case errors.As(err, &unsupported):
		return kindUnsupported, ""
	case errors.As(err, &option):
		if strings.Contains(option.Want, "FoundOptions") {
			return kindUsage, "leave the flag out: sizes are those of the files"
		}
		return kindUsage, "a command's --help says what its flags take"
	case errors.As(err, &limit):
		return kindUsage, "change the message; nothing of it was written"
	case errors.Is(err, actorstore.ErrBusy):
		return kindBusy, "try again, with fewer or smaller messages at a time"
	case errors.Is(err, actorstore.ErrDiskFull):
		return kindDiskFull, "free space on the disk, then try again; nothing was written"
	case errors.Is(err, actorstore.ErrOutcomeUnknown):
		return kindUnknown, "actorstore get or query shows whether the message is there"
	case errors.Is(err, actorstore.ErrTags):
		return kindUsage, `--tags "a || b", or no --tags for all messages`
	case errors.As(err, &corrupt), errors.As(err, &fault):
		return kindDamage, "actorstore repair DIR says what can be done, actorstore dump DIR --ruler --from N shows a place of the log"
	case errors.As(err, &missing), errors.Is(err, actorstore.ErrNoRecord), errors.Is(err, actorstore.ErrNoQueue),
		errors.Is(err, actorstore.ErrNoMessage):
		return kindNotFound, "actorstore stat DIR shows what is there"
	case errors.Is(err, actorstore.ErrNoIndex), errors.Is(err, actors.ErrNotReady):
		return kindFailed, ""
	case errors.Is(err, fs.ErrNotExist):
		return kindNotFound, "check the path; put and run make a new store"
	case errors.Is(err, fs.ErrPermission):
		return kindPermission, "run as the user who owns the store"
	}
	return kindFailed, ""
}
