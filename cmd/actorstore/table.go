package main

import (
	"bytes"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"
)

// table is aligned columns for people. A header that begins with '>' is that of
// a column of numbers and stands to the right.
type table struct {
	a       *app
	names   []string // as given
	headers []string // as printed
	align   []tw.Align
	rows    [][]string
	titled  bool // there is a header
	flex    bool // the last column takes the width that is left
}

// tableRows is how many rows are aligned together: a long export must not be
// held in memory for its widths.
const tableRows = 1000

func (a *app) table(headers ...string) *table {
	t := &table{a: a, names: headers}
	for _, h := range headers {
		align := tw.AlignLeft
		if cut, ok := strings.CutPrefix(h, ">"); ok {
			h, align = cut, tw.AlignRight
		}
		t.titled = t.titled || h != ""
		t.headers = append(t.headers, a.paint(bold, h))
		t.align = append(t.align, align)
	}
	return t
}

// row adds a row; a long table is printed in pieces.
func (t *table) row(cells ...string) error {
	t.rows = append(t.rows, cells)
	if len(t.rows) < tableRows {
		return nil
	}
	return t.print()
}

// print writes what rows there are.
func (t *table) print() error {
	if len(t.rows) == 0 {
		return nil
	}
	if t.flex {
		t.fit()
	}
	cells := func(format tw.State) tw.CellConfig {
		return tw.CellConfig{
			Formatting: tw.CellFormatting{AutoWrap: tw.WrapNone, AutoFormat: format},
			Alignment:  tw.CellAlignment{PerColumn: t.align},
			Padding:    tw.CellPadding{Global: tw.Padding{Right: "  ", Overwrite: true}},
		}
	}
	var lines bytes.Buffer
	w := tablewriter.NewTable(&lines,
		tablewriter.WithRenderer(renderer.NewBlueprint(tw.Rendition{
			Borders: tw.BorderNone, Symbols: tw.NewSymbols(tw.StyleNone),
			Settings: tw.Settings{Lines: tw.LinesNone, Separators: tw.SeparatorsNone},
		})),
		tablewriter.WithConfig(tablewriter.Config{
			Header: cells(tw.Off), Row: cells(tw.Off),
			Behavior: tw.Behavior{TrimSpace: tw.Off},
		}))
	if t.titled {
		w.Header(t.headers)
	}
	if err := w.Bulk(t.rows); err != nil {
		return err
	}
	t.rows = t.rows[:0]
	if err := w.Render(); err != nil {
		return err
	}
	for line := range bytes.Lines(lines.Bytes()) {
		t.a.printf("%s\n", bytes.TrimRight(line, " \n"))
	}
	return nil
}

// fit shortens the last column to what the others leave.
func (t *table) fit() {
	const gap = 2
	last := len(t.headers) - 1
	left := t.a.width()
	for c := range last {
		widest := len([]rune(strings.Trim(t.names[c], ">")))
		for _, row := range t.rows {
			widest = max(widest, len([]rune(row[c])))
		}
		left -= widest + gap
	}
	for _, row := range t.rows {
		row[last] = shorten(row[last], max(left, bodyColumn))
	}
}
