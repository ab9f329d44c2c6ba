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

const (
	pageEnd = 4096 // of the first page of the log
	atOnce  = 32   // bytes that a copy reads at once
)

// TestPageCaughtWhileEncoding: a page goes to the disk at any moment while a record is
// encoded that begins in it, and the power is cut when the next page has followed, but
// not the first one again. Wherever in the record, or in the one behind it, the page ends,
// and however far the record was, that is no damage: it is the end of an ASYNC log.
func TestPageCaughtWhileEncoding(t *testing.T) {
	for _, crc := range []bool{true, false} {
		t.Run(fmt.Sprintf("checksum %v", crc), func(t *testing.T) { eachFront(t, crc, encoding) })
	}
}

func encoding(c *caught) {
	for k, had := range c.states {
		c.check(had, fmt.Sprintf("%d stores done", k))
	}
}

// TestPageCaughtTailFirst: and what copies the page read the end of it before the front.
// Without a checksum over all nothing tells of a time or an address that is not there.
func TestPageCaughtTailFirst(t *testing.T) {
	eachFront(t, true, func(c *caught) {
		edge := max(len(c.whole)-atOnce, 0)
		for k, had := range c.states {
			for _, later := range []int{c.sized, len(c.states) - 1} {
				if k < later {
					page := append(bytes.Clone(c.states[later][:edge]), had[edge:]...)
					c.check(page, fmt.Sprintf("%d stores done when the copy began, %d when it ended", k, later))
				}
			}
		}
	})
}

// eachFront makes records of which 1, 2, 3 bytes and so on are in the first page, until
// one is in it and a part of the next one, too.
func eachFront(t *testing.T, crc bool, f func(c *caught)) {
	for front := 1; ; front += slower {
		c := newCaught(t, front, crc)
		if front > c.size+atOnce {
			return
		}
		f(c)
	}
}

// caught is a record that begins in the first page.
type caught struct {
	t       *testing.T
	fs      *mappedtest.FS
	path    string
	options []option
	start   int64
	size    int    // of the record
	whole   []byte // what stands from its beginning to the page's end
	checked map[string]bool
	states  [][]byte // that in front of and behind each store
	sized   int      // which of them has the size first
}

// newCaught makes a record that begins so many bytes in front of the page's end.
func newCaught(t *testing.T, front int, crc bool) *caught {
	c := &caught{t: t, checked: map[string]bool{}, options: []option{longSegments}, start: int64(pageEnd - front)}
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
	if a.PhysicalOffset != c.start {
		t.Fatalf("the record begins at %d", a.PhysicalOffset)
	}
	c.fs, c.path, c.size = s.fs.(*mappedtest.FS), s.segment(0), int(a.Size)
	c.whole = contents(t, s.fs, c.path)[c.start:pageEnd]
	c.follow(steps(c.size, 60, crc))
	return c
}

// inPage is what a range of the record is in the first page.
func (c *caught) inPage(b []byte, from, to int) []byte {
	return b[min(from, len(b)):min(to, len(b))]
}

// follow stores one piece after the other.
func (c *caught) follow(list []step) {
	had := make([]byte, len(c.whole))
	c.states = append(c.states, bytes.Clone(had))
	for _, st := range list {
		copy(c.inPage(had, st.from, st.to), c.inPage(c.whole, st.from, st.to))
		c.states = append(c.states, bytes.Clone(had))
		if st.from == 0 {
			c.sized = len(c.states) - 1
		}
	}
	if !c.isWhole(had) {
		c.t.Fatal("the steps do not make the record")
	}
}

func (c *caught) isWhole(page []byte) bool {
	return bytes.Equal(c.inPage(page, 0, c.size), c.inPage(c.whole, 0, c.size))
}

// check opens what the power cut has left.
func (c *caught) check(page []byte, what string) {
	c.t.Helper()
	if c.isWhole(page) || c.checked[string(page)] {
		return
	}
	c.checked[string(page)] = true
	fsys := c.fs.Crash(1, mappedtest.Everything)
	overwrite(c.t, fsys, c.path, c.start, page)
	s := open(c.t, fsys, c.options...)
	defer s.release()
	if s.report.End != c.start || len(s.report.Damage) > 0 {
		c.t.Errorf("%d bytes in front of the page's end, %s: the log ends at %d, want %d; damage %v", len(page), what,
			s.report.End, c.start, s.report.Damage)
	}
}
