package actors

import (
	"testing"

	"github.com/actorstore/actorstore/progress"
)

// A sink may lack any number of windows: an index that has no room for days. What
// dispatch remembers of them is bounded, and tells nothing that is too new.
func TestWindowsOnTheirWayAreBounded(t *testing.T) {
	var d dispatchActor
	const windows = 10 * mostSent
	for i := range int64(windows) {
		d.note(progress.Record{Start: i, End: i + 1})
	}
	if len(d.sent) > mostSent {
		t.Errorf("%d are remembered", len(d.sent))
	}
	last := int64(-1)
	for _, r := range d.sent {
		if r.Start <= last || r.End != r.Start+1 {
			t.Fatalf("%+v behind %d", r, last)
		}
		last = r.Start
	}
	if last != windows-1 {
		t.Errorf("the last one is %d", last)
	}
}
