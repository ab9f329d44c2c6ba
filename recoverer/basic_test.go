package recoverer_test

import (
	"hash/crc32"
	"testing"
)

func crcOf(b []byte) uint32 { return crc32.ChecksumIEEE(b) }

func TestRestart(t *testing.T) {
	for _, c := range []struct {
		name    string
		stop    func(*store)
		trusted bool
	}{
		{"closed", (*store).close, true},
		{"killed after everything", func(s *store) { s.summary(); s.mark(); s.kill() }, true},
		{"killed with a mark", func(s *store) { s.mark(); s.kill() }, true},
		{"killed before the first mark", (*store).kill, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			fsys := newFS()
			s := open(t, fsys)
			for i := range 45 {
				s.put(message("T", 0, i, 200))
				s.put(message("U", int32(i%3), i/3, 20))
			}
			end := s.log.Appended()
			c.stop(s)

			s = open(t, fsys)
			if got := s.report.End; got != end {
				t.Errorf("end %d, want %d", got, end)
			}
			if s.report.Plan.Trusted != c.trusted {
				t.Errorf("trusted %v: %s", s.report.Plan.Trusted, s.report.Plan.WhyAll)
			}
			if got, want := s.read("T", 0), line(0, 45); got != want {
				t.Errorf("T-0: %s\nwant %s", got, want)
			}
			if got, want := s.read("U", 2), line(0, 15); got != want {
				t.Errorf("U-2: %s\nwant %s", got, want)
			}
			for _, f := range s.report.Findings {
				t.Errorf("finding: %s", f)
			}
			if at := s.put(message("T", 0, 45, 200)); at.QueueOffset != 45 || at.PhysicalOffset < end {
				t.Errorf("next put: %+v", at)
			}
			if got := s.hits("T", "k45"); len(got) != 1 {
				t.Errorf("k45 is found at %v", got)
			}
			if got := s.hits("T", "k7"); len(got) != 1 {
				t.Errorf("k7 is found at %v", got)
			}
		})
	}
}
