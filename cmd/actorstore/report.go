package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/actorstore/actorstore"
)

// report prints an error and the next step, and gives the exit code. It is the
// only place where an error is printed.
func (a *app) report(ctx context.Context, err error) int {
	if err == nil {
		return exitOK
	}
	kind, hint := a.classify(err)
	text := strings.ToValidUTF8(strings.TrimSpace(forPeople(err)), "\uFFFD")
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		kind, hint, text = kindInterrupted, "", "interrupted"
	}
	hint = dirWord.ReplaceAllLiteralString(hint, a.place())
	if a.json {
		var l jsonLine
		l.line().text("error", text).text("kind", string(kind)).number("code", int64(kind.code()))
		l.about(err)
		if hint != "" {
			l.text("try", hint)
		}
		l.WriteString("}\n")
		_, _ = a.err.Write(l.Bytes()) // nowhere is left to tell of a failure
		return kind.code()
	}
	for i, line := range strings.Split(text, "\n") {
		if i == 0 {
			fmt.Fprintf(a.err, "%s %s\n", a.errPaint(red, "actorstore:"), line)
		} else if line != "" {
			fmt.Fprintf(a.err, "            %s\n", line)
		}
	}
	if hint != "" {
		fmt.Fprintf(a.err, "%s %s\n", a.errPaint(cyan, "try:"), hint)
	}
	return kind.code()
}

// about adds the file and the offset that an error names, where it does.
func (l *jsonLine) about(err error) {
	var (
		corrupt     *actorstore.CorruptionError
		fault       *actorstore.FaultError
		missing     *actorstore.MissingError
		locked      *actorstore.LockedError
		unsupported *actorstore.UnsupportedError
		path        *fs.PathError
	)
	switch {
	case errors.As(err, &corrupt):
		l.text("path", corrupt.Path).number("offset", corrupt.Offset)
	case errors.As(err, &fault):
		l.text("path", fault.Path).number("offset", fault.Offset)
	case errors.As(err, &missing):
		l.number("offset", missing.Offset)
	case errors.As(err, &locked):
		l.text("path", locked.Path)
	case errors.As(err, &unsupported):
		l.text("path", unsupported.Path)
	case errors.As(err, &path):
		l.text("path", path.Path)
	}
}

// note tells something that is not part of the answer.
func (a *app) note(format string, args ...any) { a.noteAbout(nil, format, args...) }

// noteAbout is a note about damage that was met; err names the place.
func (a *app) noteAbout(err error, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	if !a.json {
		fmt.Fprintf(a.err, "%s %s\n", a.errPaint(dim, "actorstore:"), text)
		return
	}
	var l jsonLine
	l.line().text("note", text)
	if err != nil {
		l.text("kind", string(kindDamage)).about(err)
	}
	l.WriteString("}\n")
	_, _ = a.err.Write(l.Bytes())
}

// forPeople is the text of an error without what only those need who call the
// store from Go: a flag is named instead of the option behind it, and the next
// step is told as a hint.
func forPeople(err error) string {
	var option *actorstore.OptionError
	if errors.As(err, &option) && optionFlags[option.Option] != "" {
		want, _, _ := strings.Cut(option.Want, " (FoundOptions")
		return fmt.Sprintf("--%s: want %s, got %s", optionFlags[option.Option], want, option.Got)
	}
	return goAdvice.ReplaceAllLiteralString(err.Error(), "")
}

// goAdvice is what the store says of repair and of options.
var goAdvice = regexp.MustCompile(` \(actorstore repair tells what can be done[^)]*\)`)

// wantsJSON tells whether errors are for machines where flags were not read to
// their end.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json") || slices.Contains(args, "--json=true")
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
