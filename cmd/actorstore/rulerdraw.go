package main

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Short fields share lines; long ones have a hex dump of their own.
const (
	rulerShort = 20  // bytes
	rulerMost  = 256 // bytes of a long field, unless all are wanted
)

// ruler draws the fields of a record over its bytes.
func (a *app) ruler(b []byte, all bool) {
	r := rulerRow{a: a, width: a.width()}
	for _, f := range rulerFields(b) {
		if f.n <= rulerShort {
			r.add(f, b)
			continue
		}
		r.flush()
		a.rulerLong(f, b[f.at:f.at+f.n], all)
	}
	r.flush()
	a.printf("\n")
}

// rulerRow is four lines that are drawn together: offset, name, bytes, value.
type rulerRow struct {
	a     *app
	width int
	used  int
	lines [4]strings.Builder
}

func (r *rulerRow) add(f rulerField, b []byte) {
	cells := [4]string{strconv.Itoa(f.at), f.name, hex.EncodeToString(b[f.at : f.at+f.n]), f.value}
	width := 0
	for _, c := range cells {
		width = max(width, len([]rune(c)))
	}
	if r.used > 0 && r.used+width+1 > r.width-2 {
		r.flush()
	}
	r.used += width + 1
	for i, c := range cells {
		r.lines[i].WriteString("|" + c + strings.Repeat(" ", width-len([]rune(c))))
	}
}

func (r *rulerRow) flush() {
	if r.used == 0 {
		return
	}
	for i, s := range [4]style{dim, cyan, plain, dim} {
		r.a.printf("  %s\n", r.a.paint(s, r.lines[i].String()))
		r.lines[i].Reset()
	}
	r.used = 0
}

// rulerLong draws a field in lines of sixteen bytes with the offset in the record.
func (a *app) rulerLong(f rulerField, b []byte, all bool) {
	a.printf("  %s\n", a.paint(cyan, fmt.Sprintf("|%s, %d bytes", f.name, f.n)))
	shown := b
	if !all && len(b) > rulerMost {
		shown = b[:rulerMost]
	}
	for i := 0; i < len(shown); i += 16 {
		part := shown[i:min(i+16, len(shown))]
		text := []byte(strings.Repeat(".", len(part)))
		for k, c := range part {
			if c >= ' ' && c < 0x7f {
				text[k] = c
			}
		}
		a.printf("  %s % -47x  %s\n", a.paint(dim, fmt.Sprintf("|%-8d", f.at+i)), part, text)
	}
	if len(shown) < len(b) {
		a.printf("  |... %d bytes more, --all shows them\n", len(b)-len(shown))
	}
}
