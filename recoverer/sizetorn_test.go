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
