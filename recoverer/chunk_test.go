package recoverer_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/actorstore/actorstore/recoverer"
)

// TestChunksFindTheSame: a log that is scanned in chunks, by several processors
// or one, is found to hold what one that is scanned from its beginning to its end
// holds, however it is damaged, and with bodies that hold what looks like records
// of the very places where they stand.
func TestChunksFindTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		im := newImage(2)
		at, end := int64(0), rapid.Int64Range(500, 2*segmentSize-400).Draw(rt, "end")
		for at < end {
			m := message("T", int32(rapid.IntRange(0, 1).Draw(rt, "queue")), int(at), rapid.IntRange(0, 900).Draw(rt, "body"))
			if at/segmentSize != (at+int64(len(m.Body))+300)/segmentSize {
				im.blank(at)
				at = (at/segmentSize + 1) * segmentSize
				continue
			}
			if len(m.Body) > 400 && rapid.Bool().Draw(rt, "a record inside") {
				inner := at + 150
				copy(m.Body[150-bodyAt:], im.encode(message("inner", 0, 0, 40), inner, 7))
			}
			if rapid.IntRange(0, 30).Draw(rt, "clock goes back") == 0 {
				im.now -= 50
			}
			at = im.add(at, m)
		}
		for range rapid.IntRange(0, 4).Draw(rt, "damages") {
			from := rapid.Int64Range(0, at-1).Draw(rt, "from")
			noise := rapid.SliceOfN(rapid.Byte(), 1, 700).Draw(rt, "noise")
			copy(im.b[from:at], noise)
		}
		want := scanned(t, im, 1<<30)
		for _, size := range []int64{97, rapid.Int64Range(100, segmentSize).Draw(rt, "chunk")} {
			if got := scanned(t, im, size, parallel); got != want {
				rt.Fatalf("in chunks of %d:\n%s\nwithout:\n%s", size, got, want)
			}
		}
	})
}

// bodyAt is where the body of a record of version 1 begins.
const bodyAt = 88

// scanned describes what a scan of the whole log finds.
func scanned(t *testing.T, im *image, chunk int64, options ...option) string {
	defer recoverer.ScanInChunks(chunk)()
	s, err := openFiles(t, im.store(t), true, options...)
	if err != nil {
		t.Fatal(err)
	}
	defer s.release()
	return recoverer.Scanned(s.input)
}
