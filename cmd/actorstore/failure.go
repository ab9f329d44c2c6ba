package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
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

const exitCodes = `Exit codes:
  0    done
  1    failed, or damage was found
  2    wrong usage or input; nothing was done
  3    the store is in use by another process, or busy
  4    no such store, topic, queue or message
  5    a store of a kind that is not served
  130  interrupted`

// failure is an error that knows its exit code and the next step.
type failure struct {
	code int
	err  error
	hint string
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

func fail(code int, hint, format string, args ...any) error {
	return &failure{code, fmt.Errorf(format, args...), hint}
}

// usage says that the command line is wrong.
func usage(hint, format string, args ...any) error { return fail(exitUsage, hint, format, args...) }

// notFound says that what was asked for is not there.
func notFound(hint, format string, args ...any) error {
	return fail(exitNotFound, hint, format, args...)
}

// report prints an error and the next step, and gives the exit code. It is the
// only place where an error is printed.
func (a *app) report(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	code, hint := a.classify(err)
	err = inFlags(err)
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		code, hint = exitInterrupted, ""
		err = errors.New("interrupted")
	}
	for i, line := range strings.Split(strings.TrimSpace(err.Error()), "\n") {
		if i == 0 {
			fmt.Fprintf(a.err, "%s %s\n", a.errPaint(red, "actorstore:"), line)
		} else if line != "" {
			fmt.Fprintf(a.err, "            %s\n", line)
		}
	}
	if hint != "" {
		fmt.Fprintf(a.err, "%s %s\n", a.errPaint(cyan, "try:"), dirWord.ReplaceAllLiteralString(hint, a.place()))
	}
	return code
}

// inFlags names the flag behind an option that cannot be.
func inFlags(err error) error {
	var option *actorstore.OptionError
	if errors.As(err, &option) && optionFlags[option.Option] != "" {
		return fmt.Errorf("--%s: want %s, got %s", optionFlags[option.Option], option.Want, option.Got)
	}
	return err
}

// dirWord stands in hints for the store.
var dirWord = regexp.MustCompile(`\bDIR\b`)

// place is the store as the next command line would have to name it.
func (a *app) place() string {
	if a.dir == "" {
		return "DIR"
	}
	if a.store.commitLog != "" {
		return shellWord(a.dir) + " --commitlog " + shellWord(a.store.commitLog)
	}
	return shellWord(a.dir)
}

// shellWord is text as a shell takes it for one word.
func shellWord(text string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r > 0x7f || strings.ContainsRune("/._-+:@%,=", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}

// classify knows the typed errors of the store.
func (a *app) classify(err error) (code int, hint string) {
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
		return own.code, own.hint
	case !a.started:
		return exitUsage, "actorstore help"
	case errors.As(err, &locked):
		return exitBusy, "stop the process that has the store open; reading commands work meanwhile"
	case errors.As(err, &unsupported):
		return exitUnsupported, ""
	case errors.As(err, &option):
		return exitUsage, "a command's --help says what its flags take"
	case errors.As(err, &limit):
		return exitUsage, "change the message; nothing of it was written"
	case errors.Is(err, actorstore.ErrBusy):
		return exitBusy, "try again, with fewer or smaller messages at a time"
	case errors.Is(err, actorstore.ErrDiskFull):
		return exitFailed, "free space on the disk, then try again; nothing was written"
	case errors.Is(err, actorstore.ErrOutcomeUnknown):
		return exitFailed, "actorstore get or query shows whether the message is there"
	case errors.Is(err, actorstore.ErrTags):
		return exitUsage, `--tags "a || b", or no --tags for all messages`
	case errors.As(err, &corrupt), errors.As(err, &fault):
		return exitFailed, "actorstore repair DIR says what can be done, actorstore dump DIR --ruler --from N shows a place"
	case errors.As(err, &missing), errors.Is(err, actorstore.ErrNoRecord), errors.Is(err, actorstore.ErrNoQueue),
		errors.Is(err, actorstore.ErrNoMessage):
		return exitNotFound, "actorstore stat DIR shows what is there"
	case errors.Is(err, actorstore.ErrNoIndex), errors.Is(err, actors.ErrNotReady):
		return exitFailed, ""
	case errors.Is(err, fs.ErrNotExist):
		return exitNotFound, "check the path; put and run make a new store"
	case errors.Is(err, fs.ErrPermission):
		return exitFailed, "run as the user who owns the store"
	}
	return exitFailed, ""
}
