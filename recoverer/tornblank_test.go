package recoverer_test

import (
	"fmt"
	"testing"
)

// TestTornMagicOfABlank: a power cut has taken the sector in which the magic code of a
// BLANK ends. What it lost is the end of the log. It passed for damage, since the filler
// behind a BLANK is zero by itself.
func TestTornMagicOfABlank(t *testing.T) {
	const border = segmentSize - 1024 // of two sectors
	for kept := int64(4); kept <= 8; kept++ {
		for _, flipped := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d bytes, flipped %v", kept, flipped), func(t *testing.T) {
				s := open(t, newFS())
				a := s.put(message("T", 0, 0, 100))
				s.summary()
				s.mark()
				b := s.put(message("T", 0, 1, int(border-kept-a.End()-int64(a.Size)+100)))
				s.put(message("T", 0, 2, 1100))
				end := s.log.Appended()
				if b.End() != border-kept || end < segmentSize {
					t.Fatal(b.End(), end)
				}
				s.kill()
				overwrite(t, s.fs, s.segment(0), border, make([]byte, 512))
				if flipped {
					overwrite(t, s.fs, s.segment(0), border-kept+3, []byte{byte(1024+kept) ^ 1})
				}
				s.fs = cut(s.fs)
				s = open(t, s.fs)
				want, damages := b.End(), 0 // a sector of zeros behind a size that fits
				if kept == 8 {
					want = end
				}
				if kept == 8 && flipped {
					damages = 1
				}
				if s.report.End != want || len(s.report.Damage) != damages {
					t.Errorf("the log ends at %d, want %d; damage %v", s.report.End, want, s.report.Damage)
				}
			})
		}
	}
}

// TestTornSizeOfABlank: a power cut has taken the sector that ends in the size of a BLANK.
func TestTornSizeOfABlank(t *testing.T) {
	const border = segmentSize - 1024 // of two sectors
	for _, o := range [][]option{nil, {syncFlush}} {
		s := open(t, newFS(), o...)
		a := s.put(message("T", 0, 0, 100))
		s.summary()
		s.mark()
		b := s.put(message("T", 0, 1, int(border-3-a.End()-int64(a.Size)+100)))
		s.add(message("T", 0, 2, 1100))
		s.flush() // and no queue knows of it
		s.kill()
		if b.End() != border-3 {
			t.Fatal(b.End())
		}
		overwrite(t, s.fs, s.segment(0), b.End(), make([]byte, 3))
		s = open(t, cut(s.fs), o...)
		if s.report.End != b.End() || len(s.report.Damage) > 0 {
			t.Errorf("the log ends at %d, want %d; damage %v", s.report.End, b.End(), s.report.Damage)
		}
	}
}

// TestBlankCaughtByPage: the last page of a segment went to the disk when its BLANK had
// its size and no magic code yet; the next segment followed. That passed for damage.
func TestBlankCaughtByPage(t *testing.T) {
	for _, rest := range []int{8, 100, 700} {
		for magic, torn := range map[string]bool{"\x00\x00\x00\x00": true, "\xcb\xd4\x31\x95": false} {
			s := open(t, newFS())
			a := s.put(message("T", 0, 0, 100))
			s.summary()
			s.mark()
			b := s.put(message("T", 0, 1, segmentSize-int(2*a.Size)+100-rest))
			s.put(message("T", 0, 2, 1100))
			end := s.log.Appended()
			if b.End() != int64(segmentSize-rest) || end < segmentSize {
				t.Fatal(b.End(), end)
			}
			s.kill()
			overwrite(t, s.fs, s.segment(0), b.End()+4, []byte(magic))
			s = open(t, cut(s.fs))
			if want := map[bool]int64{true: b.End(), false: end}[torn]; s.report.End != want || (len(s.report.Damage) == 0) != torn {
				t.Errorf("%d bytes, magic %x: the log ends at %d, want %d; damage %v", rest, magic, s.report.End, want, s.report.Damage)
			}
		}
	}
}

// TestLastOfSegmentCaughtByPage: the page went to the disk when the last record of the
// segment had its size and no checksum yet, and there was no BLANK.
func TestLastOfSegmentCaughtByPage(t *testing.T) {
	for _, rest := range []int{8, 100} {
		s := open(t, newFS())
		a := s.put(message("T", 0, 0, 100))
		s.summary()
		s.mark()
		over := int(a.Size) - 100
		s.put(message("T", 0, 1, segmentSize-3*over-100-200-rest))
		c := s.put(message("T", 0, 2, 200))
		s.put(message("T", 0, 3, 1100))
		if c.End() != int64(segmentSize-rest) {
			t.Fatal(c.End())
		}
		s.kill()
		overwrite(t, s.fs, s.segment(0), c.End()-20, make([]byte, 20+8))
		s = open(t, cut(s.fs))
		if s.report.End != c.PhysicalOffset || len(s.report.Damage) > 0 {
			t.Errorf("%d bytes left: the log ends at %d, want %d; damage %v", rest, s.report.End, c.PhysicalOffset, s.report.Damage)
		}
	}
}
