package recoverer_test

import (
	"strings"
	"testing"
)

// TestLacksAreTold: after a kill queues and index lack the last records, each of
// which was told in a line of its own.
func TestLacksAreTold(t *testing.T) {
	s := open(t, newFS())
	for i := range 5 {
		s.put(message("T", 0, i, 50))
		s.put(message("U", 3, i, 50))
	}
	for i := range 40 {
		s.add(message("T", 0, 5+i, 50))
		s.add(message("U", 3, 5+i, 50))
	}
	s.add(message("V", 0, 0, 50))
	s.flush()
	s.kill()
	var got []string
	for _, f := range verify(t, s) {
		got = append(got, f.String())
	}
	for i, want := range []string{
		"consumequeue: T-0: offsets 5 to 45: want units for 40 records, the first at ",
		"consumequeue: U-3: offsets 5 to 45: want units for 40 records, the first at ",
		"consumequeue: V-0: offsets 0 to 1: want a unit for the record at ",
		"index: /store/index: offsets ",
	} {
		if len(got) != 4 || !strings.HasPrefix(got[i], want) {
			t.Fatalf("%s\nwant 4 lines, number %d: %s", strings.Join(got, "\n"), i, want)
		}
	}
}
