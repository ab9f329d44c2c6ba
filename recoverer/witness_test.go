package recoverer_test

import (
	"strings"
	"syscall"
	"testing"

	"github.com/actorstore/actorstore/commitlog/checkpoint"
	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// rottenSector is a store under SYNC_FLUSH in which a sector of a record has gone bad
// above the mark, and is zero: only what the queue has of the records behind it tells
// that this is no write that a power cut has lost.
func rottenSector(t *testing.T) *mappedtest.FS {
	t.Helper()
	s := open(t, newFS(), syncFlush, withoutIndex)
	s.puts("T", 5)
	s.summary()
	s.mark()
	for i := range 10 {
		at := s.put(message("T", 0, 5+i, 900)).PhysicalOffset
		if i == 2 {
			from := (at + 511) / 512 * 512
			defer overwrite(t, s.fs, s.segment(from), from%segmentSize, make([]byte, 512))
		}
	}
	s.must(checkpoint.DisownMount(s.fs, s.layout))
	s.kill()
	return s.fs.(*mappedtest.FS)
}

// TestWitnessFails: a call of the file system fails while a rotten sector is judged. A
// queue that could not be read for once was taken for one that points at nothing behind
// it, and the acknowledged messages there were cut. So they were by the opening behind
// one in which the log could not be written again: that one had cut the queue, which
// alone told of them.
func TestWitnessFails(t *testing.T) { bothWays(t, witnessFails) }

func witnessFails(t *testing.T) {
	base := rottenSector(t)
	want := outcome(t, base.Kill(), syncFlush, withoutIndex)
	if !strings.Contains(want, "6:g 7! 8:i 9:j") || !strings.Contains(want, "14:o") {
		t.Fatal(want)
	}
	for image, script := range mappedtest.EachPlace(base, 1, syscall.EIO) {
		s, err := tryOpen(t, script, syncFlush, withoutIndex)
		call, _ := script.Failed()
		if err != nil && !strings.Contains(err.Error(), "/store") {
			t.Errorf("%v: the error names no file: %v", call, err)
		}
		if err == nil {
			s.release()
		}
		if got := outcome(t, image, syncFlush, withoutIndex); got != want {
			t.Errorf("%v: %v; the next one ends as\n%s\nwant\n%s", call, err, got, want)
		}
	}
}
