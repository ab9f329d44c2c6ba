package recoverer

import (
	"context"
	"fmt"
	"strings"
)

// ShortSteps makes a recovery write down its progress often, until it is undone.
func ShortSteps(batch int, replay, persist int64) (undo func()) {
	b, r, p := scanBatch, replayStep, persistStep
	scanBatch, replayStep, persistStep = batch, replay, persist
	return func() { scanBatch, replayStep, persistStep = b, r, p }
}

// ScanInChunks makes the scan cut segments into chunks of this size, until undone.
func ScanInChunks(size int64) (undo func()) {
	c := scanChunk
	scanChunk = size
	return func() { scanChunk = c }
}

// IndexApart makes the index right beside the queues however little they lack,
// until undone.
func IndexApart() (undo func()) {
	a := apartFrom
	apartFrom = 1
	return func() { apartFrom = a }
}

// Scanned describes all that a scan of a whole log finds, run by run.
func Scanned(in Input) string {
	if err := in.check(); err != nil {
		return err.Error()
	}
	segments := in.Log.Segments()
	plan := Plan{Min: segments[0].Offset(), Limit: segments[len(segments)-1].End()}
	var out strings.Builder
	stretches, err := newTail(&in, &plan, &Report{}).scan(context.Background(), segments)
	if err != nil {
		return err.Error()
	}
	for _, st := range stretches {
		fmt.Fprintf(&out, "[%d, %d)\n", st.from, st.to)
		for _, r := range st.runs {
			before := r.before
			r.before = nil
			fmt.Fprintf(&out, "  %+v behind %v\n", r, before)
		}
		fmt.Fprintln(&out, "  behind:", st.behind)
	}
	return out.String()
}
