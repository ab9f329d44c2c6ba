package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"
)

// app is one run of the program: its streams and what all commands share.
type app struct {
	in  io.Reader
	out *bufio.Writer // the answer
	err io.Writer     // everything else

	outTerminal, errTerminal, inTerminal bool

	json    bool // --json
	verbose bool // --verbose
	started bool // the arguments were right and the command has begun
	dir     string
	store   storeFlags
	bar     bar
}

// printf writes to standard output; an error shows at the next flush.
func (a *app) printf(format string, args ...any) { fmt.Fprintf(a.out, format, args...) }

// width is how many columns a line for people may take.
func (a *app) width() int {
	if a.outTerminal {
		if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w >= 40 {
			return w
		}
	}
	return 120
}

// logger is for what happens inside a store; silent without --verbose.
func (a *app) logger() zerolog.Logger {
	if !a.verbose {
		return zerolog.Nop()
	}
	if a.json {
		return zerolog.New(a.err).With().Timestamp().Logger()
	}
	w := zerolog.ConsoleWriter{Out: a.err, NoColor: !colours(a.errTerminal), TimeFormat: time.TimeOnly}
	return zerolog.New(w).With().Timestamp().Logger()
}
