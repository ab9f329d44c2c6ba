package recoverer_test

import "testing"

// TestHalfEncodedIsNoDamage: a page went to the disk while a record was encoded in
// it, whose size is written last; the power was cut before it went there again, but
// not before the page behind it did. That end was taken for damage, and messages
// behind one that nobody had were kept.
func TestHalfEncodedIsNoDamage(t *testing.T) {
	for name, c := range map[string]struct {
		lost    int64 // bytes of the record's end
		options []option
		half    bool
		sized   bool // it has its size
		body    int
	}{
		"as a power cut leaves it":     {20, nil, true, false, 100},
		"only the size is missing":     {0, nil, true, false, 100},
		"a size of one bit is missing": {0, nil, true, false, 136},
		"under SYNC_FLUSH":             {20, []option{syncFlush}, false, false, 100},
		"size, and no checksum":        {20, nil, true, true, 100},
		"one byte of the checksum":     {1, nil, true, true, 100},
		"the same, under SYNC_FLUSH":   {20, []option{syncFlush}, false, true, 100},
	} {
		t.Run(name, func(t *testing.T) {
			s := open(t, newFS(), c.options...)
			for i := range 9 {
				s.put(message("T", 0, i, 100))
			}
			s.summary()
			s.mark()
			a := s.put(message("T", 0, 9, c.body))
			for i := range 10 {
				s.put(message("T", 0, 10+i, 100))
			}
			s.kill()
			at := a.PhysicalOffset % segmentSize
			if !c.sized {
				overwrite(t, s.fs, s.segment(a.PhysicalOffset), at, make([]byte, 4))
			}
			overwrite(t, s.fs, s.segment(a.PhysicalOffset), at+int64(a.Size)-c.lost, make([]byte, c.lost))
			s = open(t, cut(s.fs))
			if half := s.report.End == a.PhysicalOffset; half != c.half || half != (len(s.report.Damage) == 0) {
				t.Errorf("the log ends at %d, the record began at %d; damage %v", s.report.End, a.PhysicalOffset, s.report.Damage)
			}
			if half := s.read("T", 0) == line(0, 9); half != c.half {
				t.Errorf("read %s", s.read("T", 0))
			}
		})
	}
}

// TestSizeCaughtInHalf: what copied the page read the bytes of a size at two moments.
func TestSizeCaughtInHalf(t *testing.T) {
	for lost := range int64(4) {
		s := open(t, newFS())
		s.put(message("T", 0, 0, 100))
		s.summary()
		s.mark()
		a := s.put(message("T", 0, 1, 500))
		s.put(message("T", 0, 2, 100))
		end := s.log.Appended()
		s.kill()
		was := contents(t, s.fs, s.segment(0))[a.PhysicalOffset+lost]
		overwrite(t, s.fs, s.segment(0), a.PhysicalOffset+lost, []byte{0})
		s = open(t, cut(s.fs))
		if want := map[bool]int64{true: a.PhysicalOffset, false: end}[was != 0]; s.report.End != want || len(s.report.Damage) > 0 {
			t.Errorf("byte %d, which was %d: the log ends at %d, want %d; damage %v", lost, was, s.report.End, want, s.report.Damage)
		}
	}
}
