package main

import "os"

// style is a colour or weight of the terminal.
type style string

const (
	bold   style = "\x1b[1m"
	dim    style = "\x1b[2m"
	red    style = "\x1b[31m"
	green  style = "\x1b[32m"
	yellow style = "\x1b[33m"
	cyan   style = "\x1b[36m"
	plain        = "\x1b[0m"
)

// colours tells whether a stream takes them: terminals do, unless NO_COLOR says
// otherwise (no-color.org).
func colours(terminal bool) bool {
	return terminal && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// paint colours text for standard output.
func (a *app) paint(s style, text string) string { return paintIf(colours(a.outTerminal), s, text) }

// errPaint colours text for standard error.
func (a *app) errPaint(s style, text string) string {
	return paintIf(colours(a.errTerminal), s, text)
}

func paintIf(on bool, s style, text string) string {
	if !on || text == "" {
		return text
	}
	return string(s) + text + plain
}
