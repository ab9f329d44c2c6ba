package recoverer_test

import "testing"

// TestTornSizeIsNoDamage: a power cut loses the sector that ends with the first three
// bytes of a record's size; the sector in front of it had nothing else that was new.
// That passed for damage, and messages behind one that nobody had were kept.
func TestTornSizeIsNoDamage(t *testing.T) {
	for name, c := range map[string]struct {
		lost bool // a whole write, not a bit
		torn bool
		cut  bool
	}{
		"as a power cut leaves it":        {true, true, true},
		"where no power was cut":          {true, false, false},
		"another bit of the size is lost": {false, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, newFS())
			a := s.put(message("T", 0, 0, 100))
			s.summary()
			s.mark()
			over := int64(a.Size) - 100
			b := s.put(message("T", 0, 1, int((a.End()+over)/512*512+1024-3-a.End()-over)))
			if b.End()%512 != 509 {
				t.Fatalf("the next record starts at %d", b.End())
			}
			d := s.put(message("T", 0, 2, 300))
			s.put(message("T", 0, 3, 100))
			end := s.log.Appended()
			s.kill()
			if c.lost {
				overwrite(t, s.fs, s.segment(0), b.End(), make([]byte, 3))
			} else {
				overwrite(t, s.fs, s.segment(0), b.End()+3, []byte{byte(d.Size) ^ 1})
			}
			if c.cut {
				s.fs = cut(s.fs)
			}
			s = open(t, s.fs)
			if want := map[bool]int64{true: b.End(), false: end}[c.torn]; s.report.End != want || c.torn != (len(s.report.Damage) == 0) {
				t.Errorf("the log ends at %d, want %d; damage %v", s.report.End, want, s.report.Damage)
			}
		})
	}
}

// TestTornSizeInFrontOfNoBlank: the page went to the disk before the BLANK was there
// that the next record made behind the one that is torn.
func TestTornSizeInFrontOfNoBlank(t *testing.T) {
	for name, c := range map[string]struct{ blank, torn bool }{"with a BLANK": {true, true}, "without": {false, true}, "another bit": {false, false}} {
		t.Run(name, func(t *testing.T) {
			s := open(t, newFS())
			a := s.put(message("T", 0, 0, 100))
			s.summary()
			s.mark()
			const start = segmentSize - 512 - 3
			over := int64(a.Size) - 100
			b := s.put(message("T", 0, 1, int(start-a.End()-over)))
			d := s.put(message("T", 0, 2, int(440-over)))
			s.put(message("T", 0, 3, 100))
			end := s.log.Appended()
			if b.End() != start || d.Size != 440 || end < segmentSize {
				t.Fatal(b.End(), d.Size, end)
			}
			s.kill()
			overwrite(t, s.fs, s.segment(0), start, make([]byte, 3))
			if !c.blank {
				overwrite(t, s.fs, s.segment(0), d.End(), make([]byte, 8))
			}
			if !c.torn {
				overwrite(t, s.fs, s.segment(0), start+3, []byte{byte(d.Size&0xff) ^ 1})
			}
			s.fs = cut(s.fs)
			s = open(t, s.fs)
			if want := map[bool]int64{true: start, false: end}[c.torn]; s.report.End != want || c.torn != (len(s.report.Damage) == 0) {
				t.Errorf("the log ends at %d, want %d; damage %v", s.report.End, want, s.report.Damage)
			}
		})
	}
}
