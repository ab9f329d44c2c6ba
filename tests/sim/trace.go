package sim

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// trace is what happened, a line for each step. Two runs of a seed have the same.
type trace struct {
	all  bool // keep every line
	last []string
	sum  uint64
	line strings.Builder // of the step
}

// kept is how many lines a failure shows.
const kept = 25

// note adds to the line of the step.
func (t *trace) note(format string, args ...any) {
	if t.line.Len() > 0 {
		t.line.WriteString("; ")
	}
	fmt.Fprintf(&t.line, format, args...)
}

// end ends the line.
func (t *trace) end() {
	s := t.line.String()
	t.line.Reset()
	h := fnv.New64a()
	fmt.Fprintf(h, "%d ", t.sum)
	h.Write([]byte(s))
	t.sum = h.Sum64()
	t.last = append(t.last, s)
	if !t.all && len(t.last) > 2*kept {
		t.last = append(t.last[:0], t.last[len(t.last)-kept:]...)
	}
}

// String is the latest lines.
func (t *trace) String() string {
	lines := t.last
	if !t.all {
		lines = lines[max(0, len(lines)-kept):]
	}
	s := ""
	for _, l := range lines {
		s += "  " + l + "\n"
	}
	return s
}
