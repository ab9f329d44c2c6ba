package recoverer_test

import (
	"context"
	"testing"

	"github.com/actorstore/actorstore/recoverer"
)

// TestWriterIsThere: a record that was not whole when a look read it, with whole
// ones behind it by the time the look came there, was told as damage beside a busy
// writer. Below the mark nothing is being written, and a look does not read there.
func TestWriterIsThere(t *testing.T) {
	for _, c := range []struct {
		name      string
		hit       int // record
		inUse     bool
		writer    bool
		found     bool
		endsAtHit bool
	}{
		{"in use", 8, true, true, false, true},
		{"not in use", 8, false, false, true, false},
		{"in use, below the mark", 2, true, false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, newFS())
			var at []int64
			for i := range 12 {
				at = append(at, s.put(message("T", 0, i, 40)).PhysicalOffset)
				if i == 5 {
					s.summary()
					s.mark()
				}
			}
			end := s.log.Appended()
			s.kill()
			s.flip(at[c.hit] + 20)
			v, err := openFiles(t, s.fs, true)
			if err != nil {
				t.Fatal(err)
			}
			defer v.release()
			v.input.InUse = c.inUse
			r, err := recoverer.Inspect(context.Background(), v.input)
			if err != nil {
				t.Fatal(err)
			}
			if (r.Writer == at[c.hit]) != c.writer || r.Writer >= 0 != c.writer {
				t.Errorf("the writer at %d", r.Writer)
			}
			if (len(r.Findings) > 0) != c.found {
				t.Errorf("found %v", r.Findings)
			}
			if want := map[bool]int64{true: at[c.hit], false: end}[c.endsAtHit]; r.End != want {
				t.Errorf("end %d, want %d", r.End, want)
			}
		})
	}
}
