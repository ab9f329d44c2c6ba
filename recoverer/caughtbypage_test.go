package recoverer_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/actorstore/actorstore/commitlog/mapped/mappedtest"
)

// A step is a piece of a record that is stored at once.
type step struct{ from, to int }

// steps are the stores that make a record of n bytes, in the order in which the
// encoder does them: the size is the last but for the checksum over all.
func steps(n, body int, crc bool) []step {
	list := []step{{4, 8}, {12, 16}, {16, 20}, {20, 28}, {28, 36}, {36, 40}, {40, 48}, {48, 52}, {52, 56}, {56, 64}, {64, 68}, {68, 72},
		{72, 76}, {76, 84}, {84, 88}}
	end := bodyAt + body
	for at := bodyAt; at < end; at += 16 {
		list = append(list, step{at, min(at+16, end)})
	}
	list = append(list, step{8, 12}, step{end, end + 1}, step{end + 1, end + 2})
	props := end + 4
	trailer := n
	if crc {
		trailer -= 20
	}
	list = append(list, step{props, trailer}, step{end + 2, end + 4}, step{0, 4})
	if crc {
		list = append(list, step{trailer, trailer + 9}, step{n - 1, n})
		for at := trailer + 9; at < n-1; at++ {
			list = append(list, step{at, at + 1})
		}
	}
	return list
}

// pageEnd is where the first page of the log ends.
const pageEnd = 4096

// TestPageCaughtWhileEncoding: a page goes to the disk at any moment while a record is
// encoded that begins in it, and the power is cut when the next page has followed, but
// not the first one again. Wherever in the record the page ends, and however far the
// record was, that is no damage: it is the end of an ASYNC log.
func TestPageCaughtWhileEncoding(t *testing.T) {
	for _, crc := range []bool{true, false} {
		t.Run(fmt.Sprintf("checksum %v", crc), func(t *testing.T) {
			for front := 1; ; front++ {
				c := newCaught(t, front, crc)
				if c == nil {
					return
				}
				for k, had := range c.states {
					c.check(had, fmt.Sprintf("%d stores done", k))
				}
			}
		})
	}
}

// TestPageCaughtTailFirst: and what copies the page read the end of it before the front.
func TestPageCaughtTailFirst(t *testing.T) {
	const atOnce = 32
	for front := atOnce + 1; ; front++ {
		c := newCaught(t, front, true)
		if c == nil {
			return
		}
		for k, had := range c.states {
			page := append(bytes.Clone(c.sized[:front-atOnce]), had[front-atOnce:]...)
			c.check(page, fmt.Sprintf("%d stores done where the copy began", k))
		}
	}
}

// caught is a record that begins in the first page.
type caught struct {
	t       *testing.T
	fs      *mappedtest.FS
	path    string
	options []option
	start   int64
	whole   []byte   // what of it stands in the first page
	states  [][]byte // that behind each store
	sized   []byte   // that when it has its size
}

// newCaught makes a record of which so many bytes are in the first page; nil: it is
// not that long.
func newCaught(t *testing.T, front int, crc bool) *caught {
	c := &caught{t: t, options: []option{longSegments}, start: int64(pageEnd - front)}
	if !crc {
		c.options = append(c.options, withoutCRC)
	}
	s := open(t, newFS(), c.options...)
	over := int64(s.put(message("T", 0, 0, 100)).Size) - 100
	s.summary()
	s.mark()
	s.put(message("T", 0, 1, int(c.start-s.log.Appended()-over)))
	a := s.put(message("T", 0, 2, 60))
	for i := range 3 {
		s.put(message("T", 0, 3+i, 60))
	}
	s.kill()
	if int(a.Size) < front {
		return nil
	}
	if a.PhysicalOffset != c.start {
		t.Fatalf("the record begins at %d", a.PhysicalOffset)
	}
	c.fs, c.path = s.fs.(*mappedtest.FS), s.segment(0)
	c.whole = contents(t, s.fs, c.path)[c.start:pageEnd]
	c.follow(steps(int(a.Size), 60, crc))
	return c
}

// follow stores one piece after the other.
func (c *caught) follow(list []step) {
	had := make([]byte, len(c.whole))
	for _, st := range list {
		c.states = append(c.states, bytes.Clone(had))
		if from, to := min(st.from, len(had)), min(st.to, len(had)); from < to {
			copy(had[from:to], c.whole[from:to])
		}
		if st.from == 0 {
			c.sized = bytes.Clone(had)
		}
	}
	if !bytes.Equal(had, c.whole) {
		c.t.Fatal("the steps do not make the record")
	}
}

// check opens what the power cut has left.
func (c *caught) check(page []byte, what string) {
	c.t.Helper()
	if bytes.Equal(page, c.whole) {
		return
	}
	fsys := c.fs.Crash(1, mappedtest.Everything)
	overwrite(c.t, fsys, c.path, c.start, page)
	s := open(c.t, fsys, c.options...)
	defer s.release()
	if s.report.End != c.start || len(s.report.Damage) > 0 {
		c.t.Errorf("%d bytes in front of the page's end, %s: the log ends at %d, want %d; damage %v", len(page), what,
			s.report.End, c.start, s.report.Damage)
	}
}
